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
 * An open trace is not changed by reading its flows, but for what is found to
 * be damaged; several flows may be read at once, each by one thread.
 *
 * A trace is untrusted input: whatever its bytes are, the functions return
 * what they say, and errors name file and byte offset.
 */
#ifndef TAPE_READER_H
#define TAPE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "tape_ids.h"
#include "record.h"
#include "error.h"

/* Ranks as passed to the traced call. */
#define TAPE_ANY_SOURCE (-1)
#define TAPE_PROC_NULL (-2)
#define TAPE_ANY_TAG (-1)
/* A root on an intercommunicator: this process is it. */
#define TAPE_ROOT (-4)

/* In which clock the dates of a trace are. */
enum tape_base {
	TAPE_BASE_LOCAL,      /* each clock domain's own, as recorded */
	TAPE_BASE_GLOBAL,     /* one clock for all (sba) */
	TAPE_BASE_COMPENSATED /* global, without the probe effect (tico) */
};

/* Which build of a program or library addresses are of. */
struct tape_module_info {
	const char *path;     /* where it was on its host */
	const char *build_id; /* hexadecimal; "": it has none, and the rest */
	uint64_t size;        /* of its file, bytes, tells builds apart */
	int64_t mtime;        /* of its file, seconds since 1970 */
};

/*
 * One call site. Of those recorded as an address, file is NULL until a tool
 * has looked it up in the module's debug information (sba does, and writes
 * what it found): to be shown as it is, or as module and address.
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
	/* world ranks of that group by their rank in it, size of them; -1
	 * where that member left no definition. Shared by all members. */
	const int *members;
	/* An intercommunicator has two groups: peers are ranks of the other
	 * one. side is which of both this rank is in, 0 or 1, and -1 where
	 * there is one group, which is then both. */
	int side;
	int own_size;
	const int *own;   /* as members, of this rank's own group */
	/* whom its neighbourhood collectives receive from, as ranks in it */
	size_t n_sources;
	const int *sources;
};

/*
 * A group of ranks that an event names; world ranks, -1 of no such rank. Of
 * PVM: tids.
 */
struct tape_group_info {
	size_t n;
	const int *ranks;
};

/* One counter of a rank: what its events have in counts[] at that index. */
struct tape_counter_info {
	const char *name, *unit; /* unit: "ns", "count", "KiB" or PAPI's */
	int at_regions; /* read at marks (and MPI_Finalize) only, not at calls */
	/* what the readings around a call count themselves: part of each
	 * event's inside. Time of a processor outside of calls has the
	 * tracer's own in it, which is the alpha of the events. */
	int64_t own;
};

/* One rank. Arrays are indexed by id; entry 0 is unused. */
struct tape_rank_info {
	int rank;
	const char *host;
	long pid;
	uint32_t domain;  /* index of its clock domain */
	/* of PVM; 0: none. Peers of messages are then tids, not ranks in a
	 * communicator, and so are the members of groups. */
	int tid, parent;
	int former;       /* the rank that this process was before; -1: none */
	size_t n_sites, n_comms, n_regions, n_groups;
	const struct tape_site_info *sites;
	const struct tape_comm_info *comms;
	const char *const *regions;
	const struct tape_group_info *groups;
	/* constant part of alpha by class, ticks */
	double alpha_before[TAPE_CLASS_COUNT], alpha_after[TAPE_CLASS_COUNT];
	/* by how much both together may be less, and more; 0 where the trace
	 * does not say (tape_event_alpha_error) */
	float alpha_less[TAPE_CLASS_COUNT], alpha_more[TAPE_CLASS_COUNT];
	int alpha_bounded; /* it says so of some class */
	const char *note; /* why it stopped tracing, or NULL */
	int64_t slept_ns; /* its machine was suspended during the run; 0: not,
			   * or not known */
	uint32_t n_counters;
	const struct tape_counter_info *counters; /* from index 0 */
};

/*
 * A piece of the map from ticks to dates of one clock domain: from tick0 on,
 * the first one also before it, to the next piece's. The true date of tick0 is
 * within [ns0 + lo_ns, ns0 + hi_ns]; INT64_MIN and INT64_MAX: not bounded. Both
 * are linear in between to the next piece's, the first ones before, and the
 * last ones after (tape_trace_interval).
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

/* Which ranks a flow is, and how it ended. */
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
 * The same for a directory that is open already: path is only what sentences
 * call it. dir stays the caller's.
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
 * The value of a line "key value" of meta (its n-th, from 0), or NULL; not of
 * the lines "clock", which the domains have.
 */
const char *tape_trace_meta(const struct tape_trace *t, const char *key,
			    size_t n);

size_t tape_trace_ranks(const struct tape_trace *t);
/* The definitions of a rank; NULL when rank is out of range. */
const struct tape_rank_info *tape_trace_rank(const struct tape_trace *t,
					     int rank);

/* The rank that is the task of that tid; -1: none that was traced. O(log n). */
int tape_trace_task(const struct tape_trace *t, int tid);

/* Did a tool look up its addresses, as far as it could? */
int tape_trace_resolved(const struct tape_trace *t);

/*
 * Says where the address of a rank's site is in the source, for this open
 * trace only: nothing is written. file "": unknown, line is not used; function
 * "": as it was. Both are copied. Not while flows of t are read by threads.
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
 * Why the rest of a flow could not be read, with file and offset, as far as
 * anybody came to it since the trace was opened; NULL: nothing was found. What
 * is whole is read all the same, the other flows and this one up to there: who
 * reads to the end asks this of every flow, and says it. nothing, unless NULL:
 * receives whether not one event of it could be read.
 */
const char *tape_trace_damage(const struct tape_trace *t, size_t flow,
			      int *nothing);

/* The date of a tick of a domain, in the trace's base. */
int64_t tape_trace_date(const struct tape_trace *t, uint32_t domain,
			uint64_t tick);

/*
 * How wrong that date can be: the true one is within [date + *lo_ns, date +
 * *hi_ns], INT64_MIN and INT64_MAX where nothing bounds it, as far as the tool
 * that wrote the trace guarantees it. In a local trace both are 0: its dates
 * are those of each clock. O(log pieces), as tape_trace_date.
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
	uint32_t arrived;    /* at the start of the call: 0 no 1 yes 2 unasked */
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
	/* first what most tools look at: an event is long */
	uint32_t flow;          /* index in the trace */
	int32_t rank, thread;
	uint16_t call;          /* enum tape_call; 0 for marks */
	uint16_t class_;        /* enum tape_class */
	uint32_t site;          /* in the rank's sites; 0 for marks */
	uint32_t n_done;        /* entries of done */
	int64_t start_ns, end_ns;
	int64_t sr_ns;          /* start of the part that receives, behind the
				 * send of a sendrecv; else start_ns */
	double alpha_before_ns; /* tracer's time just before start_ns */
	double alpha_after_ns;  /* and just after end_ns; but of a run */
	double within_before_ns, within_after_ns; /* these parts inside it */
	uint64_t polls;         /* calls of a run; 1 for ordinary events */
	int64_t inside_ns;      /* within the calls: less than end - start
				 * only in a run */
	uint64_t request;       /* number of the request it created, or 0 */
	const struct tape_done *done; /* valid as long as the event */
	union tape_fields u;    /* by class: u.send, u.recv, ... */
	uint32_t region;        /* of enter and leave marks */
	uint32_t n_counts;      /* entries of counts */
	int64_t earlier_ns, later_ns; /* own guaranteed interval, see below */
	/* A run of failed tests in a loop over two call sites: how many were
	 * at the second one, which is described as the event is; else 0. */
	uint64_t also_polls;
	uint64_t start_tick, end_tick;
	/* as recorded: the inside, and what the alphas hold on top of the
	 * constants and of the field probe; ticks */
	uint64_t inside_ticks, extra_before_ticks, extra_after_ticks;
	uint32_t also_site;
	uint16_t also_call, also_class;
	union tape_fields also;
	/* by the rank's counters: what was counted since the last reading, and
	 * between the readings around the call, 0 for marks. A run has in
	 * before also what was counted between its calls. */
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
 * Between the calls of a run the program is at work, and so is the tracer: of
 * the alphas, which are those of all its calls, only one call's is before the
 * event, and one call's after it. The rest is within it. ns.
 */
static inline double tape_event_alpha_before(const struct tape_event *e)
{
	return e->alpha_before_ns - e->within_before_ns;
}

static inline double tape_event_alpha_after(const struct tape_event *e)
{
	return e->alpha_after_ns - e->within_after_ns;
}

/* 0 where it is not a run. */
static inline double tape_event_alpha_within(const struct tape_event *e)
{
	return e->within_before_ns + e->within_after_ns;
}

/* By how much alphas may be less, and more, than an event has them, ns. */
struct tape_alpha_error {
	double before_less, before_more, after_less, after_more;
};

/*
 * That of e, an event of t: the intervals of its constants, which were
 * calibrated, each part by its share; of what was measured, one reading of the
 * clock; and of asking for messages all, since the library may have done then
 * what the call would have done. 0 where the trace has no intervals.
 */
void tape_event_alpha_error(const struct tape_trace *t,
			    const struct tape_event *e,
			    struct tape_alpha_error *error);

/*
 * Events of class counted say that a call site (u.counted.site) or a region
 * (u.counted.region), the other being 0, is no longer recorded by this flow
 * but counted: one where it begins, with rate, the events per second that the
 * rank recorded then, and one at the end with calls, how often it was called
 * (entered) since. In between the flow goes on with everything else. Of a call
 * site also_call, also_class and also are those of its last event; also_call is
 * 0 when it had none.
 */

/* Does an event of that class with these fields create a request? */
int tape_event_creates(unsigned class_, const union tape_fields *u);

/*
 * site, region and the field comm are defined by the rank (comm may be 0: a
 * communicator made while it was not watched); newcomm need not be, until an
 * event uses it. group may be out of range: nothing is known of it then.
 *
 * earlier_ns and later_ns: the certificate. The end's true date is in [end_ns -
 * earlier_ns, end_ns + later_ns] as far as the tool that wrote the trace
 * guarantees it; both 0 where nothing was written. tico vouches for that of
 * the run without the tracer (doc/perturbation.md says on which conditions). A
 * start is as far behind the end before it in its flow in the one run as in the
 * other, up to what the alphas and the clock may be wrong by in between: its
 * interval is that of this end.
 */

/* What may be added to a date: the true one is between date + lo and + hi. */
struct tape_interval {
	int64_t lo_ns, hi_ns; /* INT64_MIN, INT64_MAX: not bounded */
};

/* The intervals of start_ns and of end_ns, by tape_trace_interval. */
void tape_event_intervals(const struct tape_trace *t,
			  const struct tape_event *e,
			  struct tape_interval *start,
			  struct tape_interval *end);

/*
 * Bytes of a flow's file that hold chunks in use. What comes after is the rest
 * of the window of a process that did not end in order, or still runs: zeros
 * that say nothing. 0: there is no such file, or nothing in it.
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
 * The same for many events at once, into memory of the caller's: decoding can
 * so go on while earlier ones are in use, in another thread, too, as long as
 * one at a time has to do with the flow.
 *
 *	b = tape_batch_new(64);
 *	while ((rc = tape_flow_batch(f, b)) == 1) {
 *		e = tape_batch_events(b, &n);
 *		for (i = 0; i < n; i++)
 *			printf("%ld\n", e[i].start_ns);
 *	}
 *	tape_batch_free(b);
 *
 * room: events that it may hold; NULL: out of memory. tape_flow_batch returns 1
 * with one event or more in b, which are valid until b is filled again, else as
 * tape_flow_next: events that stand before an error come before it.
 */
struct tape_batch;
struct tape_batch *tape_batch_new(size_t room);
void tape_batch_free(struct tape_batch *b);
int tape_flow_batch(struct tape_flow *f, struct tape_batch *b);
const struct tape_event *tape_batch_events(const struct tape_batch *b,
					   size_t *n);

/* The sentence for the flow's last error, with file and offset. */
const char *tape_flow_error(const struct tape_flow *f);

/* Bytes of the file up to the last record that was read. */
uint64_t tape_flow_bytes(const struct tape_flow *f);

/* Valid after the end: how the flow ended, and how many events were lost. */
enum tape_end tape_flow_end(const struct tape_flow *f, uint64_t *lost);

/*
 * All flows of t in order of start_ns (ties: by flow). Same results as for
 * one flow, but that a damaged flow only ends itself: the merge goes on with
 * the others, and tape_trace_damage has the sentence.
 */
int tape_merge_open(struct tape_trace *t, struct tape_merge **m);
void tape_merge_close(struct tape_merge *m);
int tape_merge_next(struct tape_merge *m, const struct tape_event **e);
const char *tape_merge_error(const struct tape_merge *m);

/*
 * How flow number flow ended, once the merge has returned 0. TAPE_END_NONE
 * also of a damaged one.
 */
enum tape_end tape_merge_end(const struct tape_merge *m, size_t flow,
			     uint64_t *lost);

/*
 * For fuzzing and tests: decodes n bytes as one flow file of t.
 * bytes must outlive the flow.
 */
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
 * it (trace-format): its name, behind a + if it creates a request, and fields,
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

#endif
