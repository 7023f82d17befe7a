/*
 * A trace, analysed: what replay.h gives, and how long which call waited for
 * whom. The waits are kept (history.h), so that after the last item their
 * causes and the critical path can be found.
 *
 *	struct tape_analysis *a;
 *	const struct tape_found *f;
 *
 *	if (tape_analysis_open(t, &a))
 *		errx(1, "%s", tape_analysis_error(a));
 *	while (tape_analysis_next(a, &f) == 1)
 *		if (f->wait)
 *			printf("%ld ns\n", f->wait->ns);
 *	tape_delay_run(...), tape_path_run(...): delay.h, path.h
 *	tape_analysis_close(a);
 *
 * Times of different clocks cannot be compared: a trace in local time of
 * several clocks has no waits (tape_analysis_is_comparable).
 *
 * What counts as waiting: waits.h. Of several waits of a call the longest
 * counts. A wait for a receive counts only if the call has no other wait. A
 * receive that a test found has no wait, but tests that failed before it have,
 * and probes (probe_waits.c). A nonblocking collective waits in the
 * call that completes it. Neighbourhood collectives and general active target
 * synchronisation (MPI_Win_start ...) have no waits.
 *
 * Memory is that of what is in flight (replay.h) and grows with the number of
 * flows and places; what grows with the trace is in a temporary file, of which
 * little is mapped at a time (history.h).
 */
#ifndef TAPE_ANALYSIS_H
#define TAPE_ANALYSIS_H

#include "history.h"
#include "activities.h"
#include "replay.h"
#include "waits.h"

/* A call of flow waited from from_ns for ns, for late_flow. */
struct tape_waited {
	enum tape_wait_kind kind;
	size_t flow;
	uint32_t call;        /* which (activity) */
	int64_t from_ns, ns;
	size_t late_flow;
	uint32_t late_call;   /* that it waited for, in which the other was
			       * late: a send, a collective */
	/* a late sender: another message, sent later, was received before,
	 * so that this much of its wait need not have been (wrong order) */
	int64_t wrong_order_ns;
};

/*
 * item or wait is NULL. Of an event: when it began, and what the time is after
 * it, by the ideal clock (ideal_clock.h); NAN: not known.
 */
struct tape_found {
	const struct tape_item *item;
	const struct tape_waited *wait;
	struct tape_ideal_time ideal_begun, ideal;
};

struct tape_analysis;

/*
 * Plays t from its start. Close it before t; NULL is accepted.
 * Returns 0, TAPE_ENOMEM, or TAPE_EIO: no temporary file. *a can tell why, and
 * is to be closed, in any case.
 */
int tape_analysis_open(struct tape_trace *t, struct tape_analysis **a);
void tape_analysis_close(struct tape_analysis *a);

/*
 * The same of the flows of own ranks, with others who do that of theirs: items
 * are as of tape_replay_open_part, waits those of own flows, whomever they are
 * for. All go on to the end, with whom they meet every some thousand events.
 */
int tape_analysis_open_part(struct tape_trace *t, struct tape_peers *peers,
			    struct tape_analysis **a);

/*
 * The same for waits only: without causes and critical path, so that only calls
 * with a wait that is not known yet have to be kept. The ideal clock has
 * bounds.
 */
int tape_analysis_open_waits(struct tape_trace *t, struct tape_analysis **a);

/*
 * Live trace: joins an exchange of the peers while this process still waits for
 * a flow. Received records are stored until the process continues. Called while
 * tape_analysis_next reads a flow. Returns 0 or TAPE_ENOMEM.
 */
int tape_analysis_exchange(struct tape_analysis *a);

/*
 * Another user of the exchanges between the processes of an analysis. Its kinds
 * of records begin at TAPE_KINDS_OF_GUEST. All functions get self.
 */
struct tape_guest {
	/* Adds this process's records before an exchange (tape_peers_put).
	 * Returns 0 or TAPE_ENOMEM. */
	int (*meets)(void *self);
	/* Handles a record that process from sent. now is 1 during an exchange,
	 * 0 for a record that arrived while a flow was read. Returns 0 or
	 * TAPE_ENOMEM. */
	int (*hears)(void *self, int from, int now, unsigned kind,
		     const void *data);
	/* Returns the time, ns, up to which the analysis may continue, events
	 * of that time included. Called after each exchange. */
	int64_t (*allows)(void *self);
	void *self;
};
void tape_analysis_set_guest(struct tape_analysis *a,
			     const struct tape_guest *g);

/*
 * What that exchanges, besides what replay.h does, bytes of a record: when a
 * receive was posted, what a call waited, and, of each for each of the others
 * every so many events, where a process stands.
 */
enum {
	TAPE_POSTED_BYTES = 48,
	TAPE_RESULT_BYTES = 64,
};

/* Returns the message of the last error. */
const char *tape_analysis_error(const struct tape_analysis *a);

/* Returns 1 if times of all flows are comparable; else there are no waits. */
int tape_analysis_is_comparable(const struct tape_analysis *a);

/*
 * Returns 1 if the ideal clock is known: all flows are read here, with times
 * that can be compared, and nothing that this clock does not follow.
 */
int tape_analysis_has_ideal(const struct tape_analysis *a);

/*
 * Of a trace that is followed, with several clocks: how wrong times can be now,
 * and were at most, ns (clocks_now.h). 0: there is one clock.
 */
double tape_analysis_clock_error(const struct tape_analysis *a, double *so_far);

/*
 * The next item, valid until the next call: 1, 0 at the end, or TAPE_ENOMEM,
 * TAPE_EIO. A damaged flow only ends itself (tape_trace_damage).
 */
int tape_analysis_next(struct tape_analysis *a, const struct tape_found **f);

/*
 * From now on items that say that an event begins, or that a request is over,
 * are not given out.
 */
void tape_analysis_omit_beginnings(struct tape_analysis *a);

/* The places of t, and who computes (activities.h). */
struct tape_places *tape_analysis_places(struct tape_analysis *a);

/* The place where w is, and its region (0: none), of a rank of any process. */
uint32_t tape_analysis_place(struct tape_analysis *a,
			     const struct tape_where *w);
uint32_t tape_analysis_region(struct tape_analysis *a,
			      const struct tape_where *w);

/* Of the flow now: what it computes, from its last call on (activities.h). */
uint32_t tape_analysis_activity(const struct tape_analysis *a, size_t flow);

/*
 * When the program ran: from the end of MPI_Init, or its first event, to the
 * beginning of MPI_Finalize, or the end of its last event. Of a flow so far.
 */
struct tape_span {
	int64_t from_ns, to_ns;
	int seen;
	/* the same by the ideal clock; NAN: not known */
	struct tape_ideal_time ideal_from, ideal_to;
};
struct tape_span tape_analysis_span(const struct tape_analysis *a, size_t flow);

/* After the last item: sets the span of a flow that another process read. */
void tape_analysis_set_span(struct tape_analysis *a, size_t flow,
			    struct tape_span span);

/*
 * After the last item, with the calls of all flows in the history: links each
 * wait to the call that it waited for.
 */
void tape_analysis_link_waits(struct tape_analysis *a);

/* Returns 1 for MPI_Init and MPI_Init_thread. */
int tape_analysis_is_init(const struct tape_event *e);

/* Of the alphas of e what lies between MPI_Init and MPI_Finalize, ns. */
double tape_analysis_tracing_ns(const struct tape_event *e);

/*
 * For a run without end: what the flows did is kept up to so many bytes (0: all
 * of it), then the older half goes. Waits are as before where what is in flight
 * is not that old; causes and the path are not known any more, and
 * tape_analysis_is_complete says 0.
 */
void tape_analysis_limit_history(struct tape_analysis *a, size_t bytes);
int tape_analysis_is_complete(const struct tape_analysis *a);

/* Returns 1 if the disk was full; the message that a tool prints then. */
int tape_analysis_disk_was_full(const struct tape_analysis *a);
extern const char tape_analysis_disk_is_full[];

/* Frees the history and its file, once causes and path are not needed. */
void tape_analysis_clear_history(struct tape_analysis *a);

/*
 * After the last item: places that came later are put in order
 * (tape_places_sort), and what the flows did has their new numbers, too. *now
 * is to be freed; NULL: nothing has changed. Returns 0 or TAPE_ENOMEM.
 */
int tape_analysis_sort_places(struct tape_analysis *a, uint32_t **now);

/* The replay, for its counts; the history of calls. */
struct tape_replay *tape_analysis_replay(struct tape_analysis *a);
struct tape_history *tape_analysis_history(struct tape_analysis *a);

#endif
