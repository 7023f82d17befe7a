/*
 * Reads a trace: the directory that a traced program or a Tape tool wrote.
 *
 *	struct tape_trace *t;
 *	struct tape_merge *m;
 *	const struct tape_event *e;
 *
 *	if (tape_trace_open("app.tape", &t) < 0)
 *		errx(1, "%s", tape_trace_error(t));
 *	if (tape_merge_open(t, &m) == 0)
 *		while (tape_merge_next(m, &e) == 1)
 *			printf("%ld %s\n", e->start_ns, tape_call_name(e->call));
 *	tape_merge_close(m);
 *	tape_trace_close(t);
 *
 * A trace holds definitions (ranks, clock domains, communicators, call sites,
 * regions), read when it is opened, and one flow of events per thread of each
 * rank, read as a stream: memory does not grow with the length of the trace.
 * Reading flows does not change an open trace, except that damage is noted;
 * several flows may be read at once, each by one thread.
 *
 * A trace is untrusted input: whatever its bytes are, the functions return
 * what is documented here, and errors name file and byte offset.
 */
#ifndef TAPE_READER_H
#define TAPE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "tape_ids.h"
#include "record.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* what the shared library exports */

/* Ranks as passed to the traced call. */
#define TAPE_ANY_SOURCE (-1)
#define TAPE_PROC_NULL (-2)
#define TAPE_ANY_TAG (-1)
/* A root on an intercommunicator: this process is it. */
#define TAPE_ROOT (-4)

/* The clock of a trace's timestamps. */
enum tape_base {
	TAPE_BASE_LOCAL,      /* each clock domain's own, as recorded */
	TAPE_BASE_GLOBAL,     /* one clock for all (sba) */
	TAPE_BASE_COMPENSATED /* global, without the probe effect (tico) */
};

/* The build of a program or library that addresses belong to. */
struct tape_module_info {
	const char *path;     /* where it was on its host */
	const char *build_id; /* hexadecimal; "": it has none, and the rest */
	uint64_t size;        /* of its file, bytes, tells builds apart */
	int64_t mtime;        /* of its file, seconds since 1970 */
};

/*
 * One call site. If it was recorded as an address, file is NULL until a tool
 * has looked it up in the module's debug information (sba does, and writes what
 * it finds); show it as module and address.
 */
struct tape_site_info {
	uint32_t id;
	uint16_t call;        /* enum tape_call; 0: unused id */
	const char *file;     /* as the compiler was given it, or absolute */
	int line;
	const char *function; /* "" when unknown */
	const char *module;   /* program or library of the address, or NULL */
	uint64_t address;     /* of the return, from the module's start */
	const char *symbol;   /* nearest dynamic symbol, "" or NULL */
	/* NULL: the trace does not say, or there is no address */
	const struct tape_module_info *from;
};

/* One communicator as a rank sees it. */
struct tape_comm_info {
	uint32_t index;   /* what events of this rank call it */
	uint64_t id;      /* the same on all members; 1 is MPI_COMM_WORLD */
	int size;         /* of the group that its peers are ranks of */
	int rank;         /* this rank's number in its own group */
	const char *name;
	/* world rank of each member of that group, by rank in it: size of
	 * them; -1 if that member left no definition. Shared by all members. */
	const int *members;
	/* An intercommunicator has two groups, and peers are ranks of the
	 * other one. side: the group that this rank is in, 0 or 1; -1 for a
	 * communicator of one group. */
	int side;
	int own_size;
	const int *own;   /* as members, of this rank's own group */
	/* where neighbourhood collectives receive from, as ranks in it */
	size_t n_sources;
	const int *sources;
};

/* Ranks that an event names: of the world, -1: unknown; tids in PVM. */
struct tape_group_info {
	size_t n;
	const int *ranks;
	int spawned; /* PVM: the tasks that one pvm_spawn started */
};


/*
 * One counter of a rank; events have its values at the same index of counts[].
 */
struct tape_counter_info {
	const char *name, *unit; /* unit: "ns", "count", "KiB" or PAPI's */
	int at_regions; /* read at marks (and MPI_Finalize) only, not at calls */
	/* what the two readings around a call count themselves; each event's
	 * inside contains it. Processor time outside of calls contains the
	 * tracer's own time, that is the alpha of the events. */
	int64_t own;
};

/*
 * What one calibration of a constant of alpha came to, ticks: its two parts,
 * what their sum was at least and at most among all of its loops, and the 95%
 * interval of the sum, which is the median of pairs (ranged; else low and high
 * are the sum).
 */
struct tape_alpha_measure {
	double before, after, least, most, low, high;
	int ranged;
};

/*
 * A constant of alpha as rank files name it: a class of events, or what
 * doc/trace-format.md adds to them. Calibrated when the rank began and,
 * where again is set, at its end.
 */
struct tape_alpha_info {
	const char *name;
	struct tape_alpha_measure begin, end;
	int measured, again;
};

/*
 * How long fixed pieces of work took at a calibration, ticks: of operations
 * that wait for each other, which tells the clock rate, and of independent
 * ones, which take longer when something else uses the same core.
 */
struct tape_pace {
	double chain, independent;
};

/*
 * What the kernel counted of a thread while it was traced: ns passed, ns that
 * it ran, ns that it was ready to run and had no processor; how often it gave
 * its processor up, and how often that was taken from it. All 0: not known.
 */
struct tape_processor_info {
	int64_t ns, cpu_ns, waited_ns;
	uint64_t voluntary, involuntary;
};
#define TAPE_PROCESSORS_MAX 1024

/* One rank. Arrays are indexed by id; entry 0 is unused. */
struct tape_rank_info {
	int rank;
	const char *host, *position; /* doc/trace-format.md */
	long pid;
	uint32_t domain;  /* index of its clock domain */
	/* PVM only, else 0; peers and members of groups are tids then */
	int tid, parent;
	int former;       /* the rank that this process was before; -1: none */
	size_t n_sites, n_comms, n_regions, n_groups;
	const struct tape_site_info *sites;
	const struct tape_comm_info *comms;
	const char *const *regions;
	const struct tape_group_info *groups;
	/* constant part of alpha by class, ticks */
	double alpha_before[TAPE_CLASS_COUNT], alpha_after[TAPE_CLASS_COUNT];
	/* by how much their sum may differ; 0: not said (see alpha_error) */
	float alpha_less[TAPE_CLASS_COUNT], alpha_more[TAPE_CLASS_COUNT];
	int alpha_bounded; /* it says so of some class */
	/* how the constants were found; those above are the mean of both
	 * measures, their interval holds the bounds and intervals of both */
	size_t n_alphas;
	const struct tape_alpha_info *alphas;
	int paces; /* how many it has: 2 where it calibrated at its end, too */
	struct tape_pace pace[2]; /* at the start, at the end */
	/* of its thread that waited longest; a bit for each that it may use */
	struct tape_processor_info processor;
	uint64_t may_use[TAPE_PROCESSORS_MAX / 64];
	const char *note; /* why it stopped tracing, or NULL */
	int64_t slept_ns; /* its machine was suspended; 0: not, or unknown */
	uint32_t n_counters;
	const struct tape_counter_info *counters; /* from index 0 */
	int spawned_by;      /* joined traces: root of its spawn; -1: none */
	uint64_t spawned_in; /* identity of the communicator that made */
	size_t n_vm_hosts;
	const struct tape_vm_host *vm_hosts; /* tape_vm_host.h */
};

/*
 * A piece of the map from ticks to time of one clock domain: from tick0 to the
 * next piece's tick0; the first one also before. The true time of tick0 is
 * within [ns0 + lo_ns, ns0 + hi_ns]; INT64_MIN and INT64_MAX: not bounded. Both
 * are interpolated to the next piece's, and constant before the first and after
 * the last (tape_trace_interval).
 */
struct tape_clock_piece {
	uint64_t tick0;
	int64_t ns0;          /* the date at tick0 */
	double rate;          /* ns per tick */
	int64_t lo_ns, hi_ns;
};

/* One pair of readings: the tick and CLOCK_MONOTONIC_RAW, slack ticks apart. */
struct tape_anchor {
	uint64_t tick, ns;
	uint32_t slack;
};

/* One clock domain. */
struct tape_domain_info {
	uint32_t index;
	const char *name;   /* clock source:boot id:time namespace */
	size_t n_pieces;    /* >= 1: in a local trace made from the anchors */
	const struct tape_clock_piece *pieces;
	/* earliest and latest anchor of all its flows; equal if only one */
	struct tape_anchor first, last;
};

/*
 * One round of clock sampling, all in raw ticks of the clock that was read:
 * sent by a rank of clock "by", received and answered by one of "domain".
 */
struct tape_sample {
	int after;          /* 0 before the run, 1 after it */
	uint32_t by;        /* the clock that asked: nearer to the reference */
	uint32_t domain;    /* the sampled clock */
	uint64_t s_ref, r_j, s_j, r_ref;
};

/* The rank and thread of a flow. */
struct tape_flow_info {
	int rank, thread;
	const char *file;   /* path of its file */
};

struct tape_trace;

/*
 * Opens the trace directory path and reads its definitions. On success *t is
 * the trace, to be closed by the caller. On failure *t is NULL or holds only
 * the error's sentence; it may be closed either way.
 * Returns 0 or a negative TAPE_E code.
 */
int tape_trace_open(const char *path, struct tape_trace **t);

/*
 * The same for a directory that is open already; messages call it path. The
 * caller still owns dir.
 */
int tape_trace_open_at(int dir, const char *path, struct tape_trace **t);
void tape_trace_close(struct tape_trace *t);

/* The sentence for the last error of t, with file and offset. t may be NULL. */
const char *tape_trace_error(const struct tape_trace *t);

const char *tape_trace_path(const struct tape_trace *t);

/*
 * Opens a file of the trace by its name there, for reading: a descriptor that
 * the caller closes, or -1 with errno. Only a regular file; a symbolic link is
 * not followed (ELOOP).
 */
int tape_trace_file(const struct tape_trace *t, const char *name);
enum tape_base tape_trace_base(const struct tape_trace *t);

/*
 * The value of the n-th line "key value" of meta, from 0, or NULL. Lines
 * "clock" are not among them: see the domains.
 */
const char *tape_trace_meta(const struct tape_trace *t, const char *key,
			    size_t n);

size_t tape_trace_ranks(const struct tape_trace *t);
/* The definitions of a rank; NULL when rank is out of range. */
const struct tape_rank_info *tape_trace_rank(const struct tape_trace *t,
					     int rank);

/* The rank that is the task of that tid; -1: none that was traced. O(log n). */
int tape_trace_task(const struct tape_trace *t, int tid);

/* Has a tool looked up its addresses? */
int tape_trace_resolved(const struct tape_trace *t);

/*
 * Sets where a rank's address is in the source, for this open trace only;
 * nothing is written. file "": unknown, and line is not used; function "":
 * keeps the old one. Both are copied. Not while other threads read flows of t.
 * Returns 0, TAPE_ERANGE (no address of that number, a negative line) or
 * TAPE_ENOMEM.
 */
int tape_trace_resolve(struct tape_trace *t, int rank, uint32_t site,
		       const char *file, int line, const char *function);

size_t tape_trace_domains(const struct tape_trace *t);
const struct tape_domain_info *tape_trace_domain(const struct tape_trace *t,
						 uint32_t index);

/* Nanoseconds per tick of a domain's own clock, whatever the base. */
double tape_trace_tick_ns(const struct tape_trace *t, uint32_t domain);

/* The clock samples, in the order taken; *n receives their number. */
const struct tape_sample *tape_trace_samples(const struct tape_trace *t,
					     size_t *n);

/* Flows in order of rank, then thread. */
size_t tape_trace_flows(const struct tape_trace *t);
const struct tape_flow_info *tape_trace_flow(const struct tape_trace *t,
					     size_t flow);

/*
 * Why the rest of a flow could not be read, with file and offset; NULL: no
 * damage was found in what has been read since the trace was opened. The other
 * flows, and this one up to the damage, are read nevertheless, so a tool calls
 * this for every flow at the end and prints the sentence. *nothing, unless
 * NULL: 1 if not one event of the flow could be read.
 */
const char *tape_trace_damage(const struct tape_trace *t, size_t flow,
			      int *nothing);

/* Converts a tick of a clock domain to a timestamp in the trace's time base. */
int64_t tape_trace_date(const struct tape_trace *t, uint32_t domain,
			uint64_t tick);

/*
 * How wrong that time can be: the true one is within [time + *lo_ns, time +
 * *hi_ns], as the tool that wrote the trace guarantees; INT64_MIN and
 * INT64_MAX: not bounded. In a local trace both are 0, since each clock has its
 * own time. O(log pieces), as tape_trace_date.
 */
void tape_trace_interval(const struct tape_trace *t, uint32_t domain,
			 uint64_t tick, int64_t *lo_ns, int64_t *hi_ns);

/* ---- events ---- */

/* A request that an event completed, started, freed or cancelled. */
enum tape_done_kind {
	TAPE_DONE_REQUEST,   /* no status worth keeping (sends, collectives) */
	TAPE_DONE_RECV,      /* a receive: peer, tag, bytes are valid */
	TAPE_DONE_CANCELLED
};

struct tape_done {
	uint64_t request;    /* number, 0: its creation was not recorded */
	enum tape_done_kind kind;
	int32_t peer, tag;   /* rank in the communicator of the request */
	uint64_t bytes;
	uint32_t arrived;    /* when the receive began: 0 no 1 yes 2 unasked */
};

/*
 * One event. start_ns and end_ns are in the trace's base; the event's real
 * action lies between them. Where asking for a message took longer than asking
 * can, start_ns is that much before start_tick (doc/perturbation.md).
 *
 * A run of calls is one event: from the first start to the last end, inside_ns
 * within the calls; its alpha is the sum of theirs. It is one of failed tests
 * or probes, with polls > 1 or flag 0, or of packing (class pack), where the
 * calls may be of several names and sites: call and site are the first one's.
 */
struct tape_event {
	/* what most tools read comes first: an event is long */
	uint32_t flow;          /* index in the trace */
	int32_t rank, thread;
	uint16_t call;          /* enum tape_call; 0 for marks */
	uint16_t class_;        /* enum tape_class */
	uint32_t site;          /* in the rank's sites; 0 for marks */
	uint32_t n_done;        /* entries of done */
	int64_t start_ns, end_ns;
	int64_t sr_ns;          /* start of the part that receives, after the
				 * send of a sendrecv; else start_ns */
	double alpha_before_ns; /* tracer's time just before start_ns */
	double alpha_after_ns;  /* and just after end_ns; but of a run */
	double within_before_ns, within_after_ns; /* these parts inside it */
	uint64_t polls;         /* calls of a run; 1 for ordinary events */
	int64_t inside_ns;      /* within the calls: less than end - start
				 * only in a run; of a block its length */
	uint64_t request;       /* number of the request it created, or 0 */
	const struct tape_done *done; /* valid as long as the event */
	union tape_fields u;    /* by class: u.send, u.recv, ... */
	uint32_t region;        /* of enter and leave marks */
	uint32_t n_counts;      /* entries of counts */
	int64_t earlier_ns, later_ns; /* own guaranteed interval, see below */
	/* A run of failed tests in a loop over two call sites: number of
	 * tests at the second one, which has the same kind of fields; else
	 * 0. */
	uint64_t also_polls;
	uint64_t start_tick, end_tick;
	/* as recorded, in ticks: the inside, and the alphas beyond the
	 * constants and the field probe */
	uint64_t inside_ticks, extra_before_ticks, extra_after_ticks;
	uint32_t also_site;
	uint16_t also_call, also_class;
	union tape_fields also;
	/* by counter: what was counted since the last reading, and between
	 * the readings around the call (0 for marks). In a run, before
	 * includes what was counted between its calls. */
	struct tape_count counts[TAPE_COUNTERS_MAX];
};

/* Is it a failed test, probe or query: one that found nothing? */
static inline int tape_event_failed(unsigned class_, const union tape_fields *u)
{
	return (class_ == TAPE_CLASS_TEST && !u->test.flag) ||
	       (class_ == TAPE_CLASS_IPROBE && !u->iprobe.flag) ||
	       (class_ == TAPE_CLASS_NRECV && !u->nrecv.flag) ||
	       (class_ == TAPE_CLASS_QUERY && !u->query.flag) ||
	       (class_ == TAPE_CLASS_IMPROBE && !u->improbe.flag) ||
	       (class_ == TAPE_CLASS_WINTEST && !u->wintest.flag);
}

/*
 * The alphas of a run are those of all its calls. Only one call's is before the
 * event, and one call's after it; the rest is within it, between the calls. ns.
 */
static inline double tape_event_alpha_before(const struct tape_event *e)
{
	return e->alpha_before_ns - e->within_before_ns;
}

static inline double tape_event_alpha_after(const struct tape_event *e)
{
	return e->alpha_after_ns - e->within_after_ns;
}

/* 0 where it is no run; at most the time between its calls, where it lies. */
static inline double tape_event_alpha_within(const struct tape_event *e)
{
	double within = e->within_before_ns + e->within_after_ns;
	double between = (double)(e->end_ns - e->start_ns - e->inside_ns);

	return within < between ? within : between > 0 ? between : 0;
}

/* Of both, of no run, what is not measured: counters of time have it, too. */
void tape_event_constants(const struct tape_trace *t,
			  const struct tape_event *e, double *before_ns,
			  double *after_ns);

/* How much less, and more, an event's alphas may be, ns. */
struct tape_alpha_error {
	double before_less, before_more, after_less, after_more;
};

/*
 * The error of the alphas of e, an event of t: the intervals of its calibrated
 * constants, each part by its share; one clock reading for what was measured;
 * and all the time of asking for messages, since the library may have done then
 * what the call would have done. 0 if the trace has no intervals.
 */
void tape_event_alpha_error(const struct tape_trace *t,
			    const struct tape_event *e,
			    struct tape_alpha_error *error);

/*
 * What an event of a region (a mark, enter or leave) or of a local call site
 * costs where it stands, in ticks: before its date and after it, and how much
 * less or more both together may be.
 */
struct tape_cost_there {
	float before, after, less, more;
	uint32_t known; /* else the constant of its class counts */
};

/*
 * From here on the alphas of the events of that region of a rank, or of that
 * call site where region is 0, are c. To be set before flows of t are opened.
 * Returns 0, TAPE_ERANGE where there is no such rank or place or c is no cost
 * (negative, 1e12 and more), or TAPE_ENOMEM.
 */
int tape_trace_cost_there(struct tape_trace *t, int rank, uint32_t region,
			  uint32_t site, const struct tape_cost_there *c);

/*
 * The same of skipping a mark in a block, anywhere in that rank: so many ticks,
 * to error. Without that it is half of what it takes by itself.
 */
void tape_trace_skip_there(struct tape_trace *t, int rank, double ticks,
			   double error);

/* Ticks that skipping a mark or local call takes by itself, and its error. */
void tape_trace_skipping(const struct tape_trace *t, int rank, int local,
			 double *ticks, double *less, double *more);

/*
 * Events of class block are marks, too: where the flow skipped a block of
 * events (marks and calls of class local), which nothing else says (u.block:
 * kind TAPE_BLOCK_SKIPPED or TAPE_BLOCK_REPEATED; so many events of one call
 * site or region; calls of them are calls, or entries), and where a block ends
 * that was kept for comparison (TAPE_BLOCK_KEPT; its number of events, all of
 * them recorded before). inside_ns is what the block took, 0 where it is not
 * known. Blocks of a group, numbered by flow, stand near each other. A skipped
 * block of several places is several such events, each with a part of its time;
 * of one with repeats another event (TAPE_BLOCK_REPEATS) has these, which are no
 * events of the program's, and their part of the time. alpha_before_ns is what
 * skipping took: as tape_trace_skip_there says, or half of what it takes by
 * itself, since the program's own work overlaps it.
 */

/*
 * Do the calibrations at the start and the end of a rank contradict each other?
 * n: constants that were measured twice; apart: those whose 95% intervals have
 * nothing in common; ratio: the median of end / start among these; work: the
 * same of independent operations, 1 if the trace does not say. Returns
 * non-zero where some are apart.
 */
struct tape_drift {
	size_t n, apart;
	double ratio, work;
};
int tape_rank_drift(const struct tape_rank_info *r, struct tape_drift *d);

/*
 * Events of class counted say that this flow no longer records a call site
 * (u.counted.site) or a region (u.counted.region; the other is 0), but counts
 * it. One stands where counting begins, with rate: the events per second that
 * the rank recorded then. One stands where it ends, with rate 0, calls: the calls
 * (entries) since, and inside_ns: what calls took (0: not known). The flow has
 * all else. Of a site, also_call and also_class are of its last event, or 0.
 */

/* Does an event of that class with these fields create a request? */
int tape_event_creates(unsigned class_, const union tape_fields *u);

/*
 * site, region and the field comm are defined by the rank (comm may be 0: a
 * communicator made while nothing was watched). newcomm need not be defined
 * until an event uses it. group may be out of range: it is then unknown.
 *
 * earlier_ns and later_ns are the certificate: the true time of the end is in
 * [end_ns - earlier_ns, end_ns + later_ns], as the tool that wrote the trace
 * guarantees; both are 0 if it does not. tico guarantees the time in the run
 * without the tracer (doc/perturbation.md has the conditions). A start has the
 * interval of the end before it in its flow, up to the errors of the alphas and
 * the clock in between.
 */

/* What may be added to a time: the true one is between time + lo and + hi. */
struct tape_interval {
	int64_t lo_ns, hi_ns; /* INT64_MIN, INT64_MAX: not bounded */
};

/* The intervals of start_ns and of end_ns, by tape_trace_interval. */
void tape_event_intervals(const struct tape_trace *t,
			  const struct tape_event *e,
			  struct tape_interval *start,
			  struct tape_interval *end);

/*
 * Bytes of a flow's file that hold chunks in use. Zeros may follow: the rest of
 * the window of a process that was killed or still runs. 0: there is no such
 * file, or nothing in it.
 */
uint64_t tape_trace_flow_bytes(const struct tape_trace *t, size_t flow);

struct tape_flow;
struct tape_merge;

/*
 * Opens one flow of t for reading from its start. Close it before the trace.
 * Returns 0, TAPE_ERANGE or TAPE_ENOMEM (sentence: tape_trace_error). A file
 * that cannot be read is damage: tape_flow_next returns that.
 */
int tape_flow_open(struct tape_trace *t, size_t flow, struct tape_flow **f);
void tape_flow_close(struct tape_flow *f);

/*
 * The next event of the flow: 1 with *e set (owned by the flow, valid until
 * the next call), 0 at the end, or a negative TAPE_E code. After an error
 * every further call returns it again. Starts never decrease.
 */
int tape_flow_next(struct tape_flow *f, const struct tape_event **e);

/*
 * The same for many events at once, into the caller's memory, so that decoding
 * can continue while earlier ones are in use, also in another thread, as long
 * as one thread at a time uses the flow.
 *
 *	b = tape_batch_new(64);
 *	while ((rc = tape_flow_batch(f, b)) == 1)
 *		for (i = 0; i < tape_batch_size(b); i++)
 *			printf("%ld\n", tape_batch_event(b, i)->start_ns);
 *	tape_batch_free(b);
 *
 * Events of b may be copied; counts beyond n_counts mean nothing, and are not to
 * be written to: the next event stands there. room: events that it may hold, 1
 * at least; NULL: out of memory. tape_flow_batch returns 1 with one event or
 * more in b, which are valid until b is filled again, else as tape_flow_next:
 * events that stand before an error come before it.
 */
struct tape_batch;
struct tape_batch *tape_batch_new(size_t room);
void tape_batch_free(struct tape_batch *b);
int tape_flow_batch(struct tape_flow *f, struct tape_batch *b);
size_t tape_batch_size(const struct tape_batch *b);
const struct tape_event *tape_batch_event(const struct tape_batch *b, size_t i);

/*
 * The same as columns, for languages that work on arrays: each is the caller's,
 * of room elements. peer: the rank in the trace, -1: none, or not known; tag:
 * -1: none. comm: identity of the communicator, 0: none. region: of marks, else
 * 0. bytes: sent, or received, or of the receives that it ended. Returns how
 * many were put, 0 at the end, a TAPE_E code once those before it are given out.
 */
struct tape_columns {
	int64_t *start_ns, *end_ns;
	uint16_t *call, *class_;
	uint32_t *site, *region;
	int32_t *peer, *tag;
	int64_t *bytes;
	uint64_t *comm;
	int64_t *calls;
};
int64_t tape_flow_columns(struct tape_trace *t, struct tape_flow *f,
			  const struct tape_columns *c, size_t room);

/* The sentence for the flow's last error, with file and offset. */
const char *tape_flow_error(const struct tape_flow *f);

/* Bytes of the file up to the last record that was read. */
uint64_t tape_flow_bytes(const struct tape_flow *f);

/* Valid after the end: how the flow ended, and how many events were lost. */
enum tape_end tape_flow_end(const struct tape_flow *f, uint64_t *lost);

/*
 * All flows of t, or n of them from first on (those of a rank follow each
 * other), in order of start_ns (ties: by flow). Same results as for one flow,
 * but that a damaged flow only ends itself: the merge goes on with the others.
 */
int tape_merge_open(struct tape_trace *t, struct tape_merge **m);
int tape_merge_open_flows(struct tape_trace *t, size_t first, size_t n,
			  struct tape_merge **m);
void tape_merge_close(struct tape_merge *m);
int tape_merge_next(struct tape_merge *m, const struct tape_event **e);
const char *tape_merge_error(const struct tape_merge *m);

/* How a flow ended, once the merge gave 0; of a damaged one TAPE_END_NONE. */
enum tape_end tape_merge_end(const struct tape_merge *m, size_t flow,
			     uint64_t *lost);

/* For fuzzing and tests: n bytes, which outlive it, as one flow file of t. */
int tape_flow_memory(struct tape_trace *t, const void *bytes, size_t n,
		     struct tape_flow **f);

/* ---- names, from the catalogue ---- */

/* Static storage; "?" for an unknown number. */
const char *tape_call_name(unsigned call);
const char *tape_class_name(unsigned class_);
unsigned tape_call_class(unsigned call);
enum tape_shape tape_call_shape(unsigned call);
/* The blocking call that it is a variant of: MPI_Bcast of MPI_Ibcast; or call. */
unsigned tape_call_base(unsigned call);
/* Bits of enum tape_trait (tape-calls(7)); 0 for an unknown number. */
unsigned tape_call_traits(unsigned call);
/* The number of a call by its name, 0 when there is none. */
unsigned tape_call_find(const char *name);

/* The number of a class by its name, TAPE_CLASS_COUNT when there is none. */
unsigned tape_class_find(const char *name);

/*
 * How a record of the class is laid out by this version, as the file meta says
 * it (trace-format): its name, after a + if it creates a request, and fields,
 * "peer:int tag:int comm:u32 / probe:u64".
 */
const char *tape_class_layout(unsigned class_);

/* A field of a class, as data: for printing and for reading text. */
struct tape_field {
	const char *name;
	int is_signed;
	unsigned bytes, offset;
};

/* The n-th field of a class, from 0: 1, or 0 when there is none. */
int tape_class_field(unsigned class_, unsigned n, struct tape_field *field);
int64_t tape_field_get(const union tape_fields *u, const struct tape_field *f);
/* 0, or TAPE_ERANGE when the value does not fit. */
int tape_field_set(union tape_fields *u, const struct tape_field *f,
		   int64_t value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
