/*
 * Reads a trace while its program runs: tape_trace_follow in place of
 * tape_trace_open, and all else as in tape_reader.h.
 */
#ifndef TAPE_FOLLOW_H
#define TAPE_FOLLOW_H

#include "tape_reader.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A trace that is still being written: reading a flow of it waits for what is
 * not there yet. All functions are called by the thread that opens the trace or
 * reads the flow; self is handed to them. Each may be NULL.
 *
 * wait: the next record of that flow has not arrived (SIZE_MAX: the trace has
 * not begun). 0 makes the reader look again, at once: so the callback should
 * sleep. Any other value, or NULL, means that no further records will come, as
 * of a killed process: the records present are then complete.
 *
 * consumed: the first bytes of the flow's file are not needed any more.
 *
 * defined: there are new definitions, call sites for instance. Addresses may
 * be looked up, tape_trace_resolve.
 */
struct tape_following {
	int (*wait)(void *self, size_t flow);
	void (*consumed)(void *self, size_t flow, uint64_t bytes);
	void (*defined)(void *self);
	void *self;
};

/* Maximum number of call sites, regions, communicators or groups per rank in a
 * followed trace. With more than 4,096 ranks the limit shrinks in proportion,
 * but never below 1,024. */
#define TAPE_FOLLOW_IDS 16384

/*
 * Maximum number of PVM tasks in a followed trace. Tasks may appear while the
 * trace is read.
 */
#ifndef TAPE_FOLLOW_TASKS
#define TAPE_FOLLOW_TASKS 1024
#endif

/* Threads of a rank that it may have then, or as many fewer as it takes to have
 * no more flows than that. */
#define TAPE_FOLLOW_THREADS 1024
#define TAPE_FOLLOW_FLOWS 16384

/*
 * As tape_trace_open, of a run that is in progress, or has not begun. It
 * returns when each rank has recorded something. Ranks' arrays n_sites,
 * n_regions, n_comms and n_groups have room for what may come; what is not
 * defined yet is as an unused id. So have the flows, and of PVM the ranks: a
 * rank that is not there yet has no host, and a flow no file. f is copied.
 *
 * Times are by the first estimate of each clock's rate, and alphas those
 * measured at the start, as they are in any trace whose meta has a line
 * "stream": so this gives the same events as reading it afterwards.
 */
int tape_trace_follow(const char *path, const struct tape_following *f,
		      struct tape_trace **t);

/* The same as tape_trace_open_at: dir is open, messages call it path. */
int tape_trace_follow_at(int dir, const char *path,
			 const struct tape_following *f, struct tape_trace **t);

/*
 * Puts the times of all clock domains on one clock: those of domain are shifted
 * by shift_ns, the true ones are within [lo_ns, hi_ns] of them (INT64_MIN,
 * INT64_MAX: not bounded). To be called for each domain before the first flow
 * is opened, or where it comes; the trace is then one in global time. Returns
 * 0, TAPE_ERANGE (no such domain, not a trace that is followed) or TAPE_ENOMEM.
 */
int tape_trace_place_clock(struct tape_trace *t, uint32_t domain,
			   int64_t shift_ns, int64_t lo_ns, int64_t hi_ns);

/*
 * A new PVM task may bring a new clock domain, whose timestamps are in its own
 * local time. The callback clock must place the domain on the common clock with
 * tape_trace_place_clock, using the samples that arrived with the task. The
 * reading thread calls it before the first event of the domain. A result other
 * than 0 becomes the result of reading.
 */
void tape_trace_on_clock(struct tape_trace *t,
			 int (*clock)(void *self, uint32_t domain),
			 void *self);

/*
 * From the last date of the domain that was read on, its dates go faster by
 * that, less than a thousandth, than by its own rate; and true ones are within
 * [lo_ns, hi_ns] of them there. Errors as above.
 */
int tape_trace_steer_clock(struct tape_trace *t, uint32_t domain, double faster,
			   int64_t lo_ns, int64_t hi_ns);

/*
 * The last tick of the domain of which the date was read, 0: none. And as if
 * that of a later one had been: where other processes read flows of the same
 * clock, which have come so far, all steer it from the same tick on.
 */
uint64_t tape_trace_clock_read(const struct tape_trace *t, uint32_t domain);
void tape_trace_clock_reach(struct tape_trace *t, uint32_t domain,
			    uint64_t tick);

/*
 * Reads what all ranks have defined since: for one who hears of a call site of
 * a flow that another process reads. Reading a flow does that by itself.
 * Returns 0, an error of tape_trace_open, or where t is not followed 0.
 */
int tape_trace_catch_up(struct tape_trace *t);

/*
 * After the last event: finds the members of the communicators that no event
 * uses, but a call in progress may. Returns 0 or TAPE_ENOMEM.
 */
int tape_trace_settle_comms(struct tape_trace *t);

/*
 * What tape_trace_damage says of a flow that another process has read, unless
 * something is known of it. Returns 0, TAPE_ERANGE (no such flow) or
 * TAPE_ENOMEM.
 */
int tape_trace_set_damage(struct tape_trace *t, size_t flow, const char *text,
			  int nothing);

/* Was t opened so? Then each of its flows can be read once. */
int tape_trace_followed(const struct tape_trace *t);

/*
 * Has flow begun? Only in a trace that is followed it may not have; opening it
 * then waits for it.
 */
int tape_trace_begun(struct tape_trace *t, size_t flow);

/*
 * Where tasks of PVM may yet come, all that came having ended: waits a little.
 * 1: look for them again; 0: no more come, or it is no such trace.
 */
int tape_trace_await_task(struct tape_trace *t);

/*
 * So many ids of call sites, and of regions, of a rank are used so far, unused
 * ones between them among them, of n_sites and n_regions that there is room
 * for: who looks at all of them needs to look at these only.
 */
size_t tape_trace_sites(const struct tape_trace *t, int rank);
size_t tape_trace_regions(const struct tape_trace *t, int rank);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
