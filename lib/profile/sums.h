/*
 * What tapestat knows of a trace after one pass: sums, by flow, by place, by
 * pair of ranks. Times in ns.
 */
#ifndef STAT_SUMS_H
#define STAT_SUMS_H

#include "call_growth.h"
#include "delay.h"
#include "notices.h"
#include "path.h"
#include "processor_use.h"
#include "system_tree.h"
#include "table.h"

/* A histogram of durations: 16 classes for each doubling, so a quantile is
 * within 3%. */
enum { STATS_FINE = 16, STATS_CLASSES = 64 * STATS_FINE };

/* What an answer speaks of, at least, as a share of the time of all ranks. */
#define ANSWER_LEAST_SHARE 0.01

/* A true figure is between it - less and it + more, ns. */
struct stats_error {
	double less, more;
};

struct stats_flow {
	struct tape_span span;
	double mpi_ns;     /* inside calls, within the span */
	double waiting_ns; /* of these; in MPI_Finalize, too */
	struct tape_ready ready; /* of that, for a processor */
	double tracing_ns; /* of events, where it is still in the times */
	double start_ns, end_ns; /* MPI_Init, MPI_Finalize */
	int finalized;
	uint64_t events;
	/* by how much the times of its events may be too large or small */
	struct stats_error start, last, alpha;
	/* beginnings of phases: MPI_Pcontrol, tape_on; outermost regions */
	uint64_t controls, outermost;
};

/* A call site, or a region. */
struct stats_place {
	uint64_t calls;    /* of them timed, one by one or in runs; */
	uint64_t counted;  /* and those that were only counted, */
	double counted_ns; /* with what they took, where that is known */
	double total_ns, max_ns, waiting_ns;
	struct tape_ready ready; /* of the waiting, for a processor */
	double own_ns;     /* a region: not in regions within it; */
	double inside_ns;  /* and of that in calls */
	uint64_t outermost; /* of a region: how often it was in no other */
	double bytes;
	/* Of calls. In a trace without tracing: what total_ns is at least and
	 * at most, by the intervals of ends. In one as measured: how much
	 * less and more the alphas before them may be. */
	double least_ns, most_ns;
	struct stats_error alpha;
	uint64_t *histogram;
	struct call_growth growth;
};

/* What the records of parts, counted, outside and regions begin with. */
struct stats_key {
	uint32_t place, flow;
};

/* By place and flow. Of when its calls began, ns after the first of them: the
 * sum, and that of squares. */
struct stats_part {
	uint32_t place, flow;
	double total_ns, waiting_ns;
	uint64_t calls;
	int64_t first_ns, last_ns;
	double sum_ns, squares;
	/* all calls, those of runs and those that were only counted, too */
	uint64_t hits;
	double bytes;
	/* at the end: requests begun here that never ended; communicators,
	 * windows and files created here that were never freed */
	uint64_t left;
};

/* Waiting of one kind at one call; for whom. */
struct stats_waits {
	uint32_t call, kind, flow, late_flow;
	uint64_t n;
	double ns, max_ns, wrong_order_ns;
	struct tape_ready ready; /* of ns, for a processor */
};

/* From rank to rank. */
struct stats_pair {
	int32_t from, to;
	uint64_t messages;
	double bytes, late_ns; /* that receivers waited for it */
	struct tape_ready ready; /* of that, for a processor */
};

/* Compares two struct stats_pair for qsort: most bytes first, then by ranks. */
int stats_order_pairs(const void *a, const void *b);

/* Messages whose sizes have so many binary digits. */
struct stats_size {
	uint64_t messages;
	double bytes, transit_ns;
};

/* In a region of a flow, 0: in none: computing, and what was counted by each
 * counter of the rank, between calls and within them. counter_sums.c */
struct stats_counted {
	uint32_t place, flow;
	double ns;
	struct {
		double outside, inside;
	} of[TAPE_COUNTERS_MAX];
};

/*
 * A flow outside of calls, by activity or region; place 0: all of it. Page
 * faults and blocks read and written, in calls, too, are of place 0.
 * outside_time.c
 */
struct stats_outside {
	uint32_t place, flow;
	double ns;
	struct tape_processor_use use;
	double minor, major, input, output;
};

/*
 * A flow in a region and in what is within it: region_sums.h. ideal is its
 * length by the ideal clock (ideal_clock.h), NAN: not known. How much less and
 * more the others may be: as measured what it computes, by errors of alphas;
 * without tracing its length, by the intervals of times.
 */
struct stats_region {
	uint32_t place, flow;
	uint64_t visits;
	double length_ns, computing_ns;
	struct tape_ideal_time ideal;
	struct stats_error error;
};

struct stats_coll {
	uint64_t rounds, members;
	double bytes, total_ns, waiting_ns;
	struct tape_ready ready; /* of the waiting, for a processor */
};

/* How a flow ended, and how many events were lost. */
struct stats_end {
	enum tape_end end;
	uint64_t lost;
};

struct stats {
	struct tape_trace *t;
	struct tape_analysis *analysis;
	struct tape_places *places;
	struct tape_system *system;
	int level; /* groups of which are shown; 0: ranks */
	struct stats_flow *flow;
	size_t flows, ranks;
	struct stats_place *place; /* by number of tape_places */
	size_t n_places;
	struct tape_table parts, waits, pairs, counted, met, regions, outside;
	struct tape_table within; /* as outside: regions and all in them */
	struct tape_table objects; /* never_freed.c */
	struct stats_size size[65];
	struct stats_coll coll[TAPE_CALL_COUNT];
	double waited_ns[TAPE_WAIT_KINDS];
	double wrong_order_ns;
	/* of all waiting: for a processor (processor_waits.h) */
	struct tape_ready ready;
	int has_ready; /* 0: it is not known, or next to nothing */
	uint64_t events, messages, rounds, unmatched;
	uint64_t unsent; /* receives whose message no rank is known to send */
	int64_t from_ns, to_ns;    /* of the run, all ranks together */
	struct tape_delays delays;
	struct tape_path path;
	struct tape_not_recorded *missing;
	struct tape_unmatched *unpaired; /* messages without a partner */
	int incomplete;            /* flows without a proper end */
	char why[680];             /* what is known of these */
	int comparable;
	int errors;               /* enum stats_errors (errors.h) */
	struct stats *measured;   /* the same run as measured, or NULL */
	uint32_t *as_measured;    /* the place in it of each place, or NONE */
	/* with others, who read the other flows (parallel_sums.h) */
	struct tape_peers *peers;
	uint32_t which;		  /* trace of theirs it is */
	uint64_t exchanged;	  /* bytes, of all, to read it */
	uint32_t n_static;	  /* places that all number alike */
	struct stats_end *ends;	  /* of the flows; NULL: the replay knows */
	struct tape_notices notes; /* for process 0 */
	/* of a trace that is read once: steps of phases (phase_log.h) */
	struct phase_log *log;
	struct stats_phases *phases; /* of phases.h, once they are known */
	int forgot;	 /* some process has dropped part of its history */
	uint32_t *doing; /* of a copy: the call that a rank of another is in,
			  * by rank; 0: in none */
	double room_ns;		  /* what calls take at most, all together, and
				   * more than they take at least */
};

enum { STATS_NONE = UINT32_MAX };

/*
 * Reads t to its end. Dies with a sentence when out of memory or disk. t stays
 * open until stats_free. errors: also how certain the sums are, where t says.
 */
struct stats *stats_read(struct tape_trace *t, int errors);

/*
 * The same without the causes of waiting and without the critical path, for
 * which the calls are not kept. is_quiet: without tape_progress, so that
 * another thread can read another trace meanwhile.
 */
struct stats *stats_read_sums(struct tape_trace *t, int errors, int is_quiet);

/*
 * The same in steps, of a trace that still grows, too: each reads one item, 1,
 * or says that there are no more, 0. Meanwhile the sums so far can be looked
 * at, until the next step: what is open, a call or a region, is in none, and
 * causes and path are not there. stats_close is the end, and frees r.
 */
struct stats_reading;
struct stats_reading *stats_open(struct tape_trace *t, int errors);
int stats_step(struct stats_reading *r);
struct stats *stats_current(struct stats_reading *r);

/*
 * What is found is also given to also, after it is in the sums. Returns the
 * analysis that finds it.
 */
struct tape_analysis *
stats_watch(struct stats_reading *r,
	    void (*also)(void *self, const struct tape_found *f), void *self);
struct stats *stats_close(struct stats_reading *r);

/*
 * completeness.c: has the flow come? Of a trace that was followed it may not
 * have. And when all is read: counts and names those without a proper end.
 */
int stats_has_flow(const struct stats *s, size_t flow);
void stats_note_ends(struct stats *s);

/*
 * completeness.c: of PVM that is followed. Tasks have met in a collective call
 * of a group; and are there groups of which not all were in each, so that it is
 * not certain which calls belong together (pvm_groups.h)?
 */
void stats_note_pvm_round(struct stats *s,
			  const struct tape_collective_round *q);
int stats_has_unsure_groups(const struct stats *s);

/* Are the calls of all flows known, for causes and the path? */
int stats_has_history(const struct stats *s);

/* From when to when the run is, by the spans of flows. */
void stats_find_run(struct stats *s);

/* Frees measured, too. */
void stats_free(struct stats *s);

/*
 * measured is the same run with tracing in its times: places are matched by
 * their names. It belongs to s from then on. with_measured.c
 */
void stats_set_measured(struct stats *s, struct stats *measured);

/*
 * Of a place: as measured; NULL where it is not there.
 */
const struct stats_place *stats_as_measured(const struct stats *s,
					    uint32_t place);

/*
 * The record of a place and flow in such a table, a new one zeroed; valid until
 * the next call. Dies when out of memory.
 */
void *stats_get_record(struct tape_table *t, uint32_t place, uint32_t flow);

/* The same; NULL: there is none. */
const void *stats_find_record(const struct tape_table *t, uint32_t place,
			      uint32_t flow);

/* The record of the same call, kind and flows as key; NULL: none. */
const struct stats_waits *stats_find_waits(const struct stats *s,
					   const struct stats_waits *key);

/* The same, a new one where there is none. */
struct stats_waits *stats_get_waits(struct stats *s,
				    const struct stats_waits *one);

/* The place of that number, new ones zeroed; valid until the next call. */
struct stats_place *stats_get_place(struct stats *s, uint32_t number);

/* Places have other numbers from now on: now[old], of all s->n_places. */
void stats_renumber(struct stats *s, const uint32_t *now);

/* Ranks and hosts, where these came one by one: how many there are now. */
void stats_count_ranks(struct stats *s);

/* The same wait as measured, ns; NAN: not known. */
double stats_waited_as_measured(const struct stats *s,
				const struct stats_waits *w);

/*
 * What the true figure certainly is, ns: 1, or 0 where nothing is certain. Both
 * traces are needed, that without tracing and that as measured.
 */
int stats_is_certain(const struct stats *s);
int stats_place_bounds(const struct stats *s, uint32_t place, double *least,
		       double *most);
int stats_computing_bounds(const struct stats *s, size_t flow, double *least,
			   double *most);

/* n calls of the place took ns each. Dies when out of memory. */
void stats_add_durations(struct stats_place *p, double ns, uint64_t n);

/* The length that a share q of the calls of the place do not exceed, ns. */
double stats_quantile(const struct stats_place *p, double q);

/* From when a flow's share of the run is counted, to when that ends. */
double stats_length(const struct stats *s, size_t flow);
double stats_all_lengths(const struct stats *s);

/* What a flow computed: neither in calls, nor traced, nor waiting. */
double stats_computing(const struct stats *s, size_t flow);

#endif
