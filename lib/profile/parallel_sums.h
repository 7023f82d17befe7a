/*
 * Parallel analysis: each process reads the flows of its own ranks
 * (tape_peers.h). Process 0 merges the sums and does everything else. The
 * others serve it:
 *
 *	if (p->me)
 *		stats_serve(p);
 *	else {
 *		s = stats_read_with(t, 0, p);
 *		...
 *		stats_dismiss(p);
 *	}
 *
 * All come to the same sums as one alone, to the last bit: what is summed up
 * over flows are whole numbers, or sums of each flow by itself.
 */
#ifndef STAT_PARALLEL_SUMS_H
#define STAT_PARALLEL_SUMS_H

#include <stddef.h>

#include "collect.h"
#include "phase_detect.h"
#include "sums.h"

/* Tasks that process 0 requests from the other processes. */
enum stats_task { STATS_READ = 1, STATS_PHASES, STATS_DISMISS };

struct stats_request {
	uint32_t task;
	uint32_t which;	   /* trace, from 0 */
	int32_t errors;	   /* as of stats_read */
	uint32_t n_static; /* places */
	uint64_t ranks, flows;
	uint64_t lines;	 /* of phases */
	int64_t from_ns; /* when the run began */
	struct marker marker;
};

/* The records of the sums. */
enum stats_record {
	/* how many calls the sender's flows have */
	STATS_LOAD = TAPE_KINDS_OF_PROFILE,
	STATS_NEED,	 /* the number of a flow: its calls are wanted */
	STATS_REQUEST,
	STATS_PATH,
	STATS_COMPUTES,
	STATS_AT,     /* what a number of the sender's is called by all */
	STATS_FORGOT, /* part of the sender's history was dropped */
	STATS_DAMAGE,
	STATS_DOING,
	STATS_STEP, /* of phases (phase_log.h) */
	STATS_CALL,
	STATS_REST,
	STATS_FLOW,
	STATS_PLACE,
	STATS_CLASS,
	STATS_PART,
	STATS_WAIT,
	STATS_PAIR,
	STATS_COUNTED,
	STATS_SIZE,
	STATS_COLL,
	STATS_SUMS,
	STATS_NOTE,
	STATS_CELL,
	STATS_LINE,
	STATS_MARKED,
	STATS_UNPAIRED, /* messages without a partner */
	STATS_REGION,
	STATS_OUTSIDE,
	STATS_WITHIN
};
_Static_assert((int)STATS_WITHIN < (int)TAPE_KINDS_OF_CLOCKS,
	       "kinds of two libraries");

struct stats *stats_read_with(struct tape_trace *t, int errors,
			      struct tape_peers *p);
void stats_serve(struct tape_peers *p);
void stats_dismiss(struct tape_peers *p);

/* Process 0 requests a task from the other processes. */
void stats_ask(struct stats *s, enum stats_task task,
	       const struct marker *marker, uint64_t lines);

/* Other processes: do the task STATS_PHASES. phases_read.c */
void stats_serve_phases(struct stats *s, const struct stats_request *q);

/* ---- of event_sums.c ---- */

struct stats_reading *stats_open_part(struct tape_trace *t, int errors,
				      struct tape_peers *peers);

/*
 * What flows did (history.h), between processes. Each finds itself why its
 * calls waited, as far as it takes most of the work: for that it has to know
 * what the flows did that they waited for, all of it. Process 0 gets the calls
 * of all, with what was found. On its way a call goes without what is only for
 * where it was. peer_histories.c
 */
enum { STATS_CALL_FROM = offsetof(struct tape_sync, begun_ns) };
struct stats_histories;
struct stats_histories *stats_histories_new(struct stats *s);
void stats_histories_free(struct stats_histories *h);
/* All: those that are needed go where they are. */
void stats_histories_share(struct stats_histories *h);
/* Others: own ones go to process 0, and the places that they name. */
void stats_histories_send(struct stats_histories *h);
/* Others: only these, of a trace that is followed. */
void stats_histories_send_places(struct stats_histories *h);
/* These into a copy: what is computed is not among them. */
void stats_histories_copy(const struct stats *s, struct tape_bytes *to);
/* The number here of a place that process calls number. */
uint32_t stats_histories_place(const struct stats_histories *h, int from,
			       uint32_t number);
/* Processes a record: 1; 0: it is no record of histories. */
int stats_histories_receive(struct stats_histories *h, int from, unsigned kind,
			    const void *data, size_t bytes);

/*
 * Of a trace that is followed: the sums so far of one process as records, for
 * process 0, which adds those of all others, copies[i] of process i, to its
 * own: to be looked at until its next step, and freed by stats_copy_free. Own
 * ones are copied, what is not summed up is that of s.
 */
void stats_copy_sums(struct stats *s, struct tape_bytes *to);
struct stats *stats_merge_copies(struct stats *s,
				 const struct tape_bytes *copies);
void stats_copy_free(struct stats *s);

/* Sums of own flows as records: to process 0 (copy NULL), or into a copy. */
void stats_sums_send(struct stats *s, struct tape_bytes *copy);
/* Adds a record of those, or of places, to s. */
void stats_sums_receive(struct stats *s, struct stats_histories *h, int from,
			unsigned kind, const void *data, size_t bytes);

/* Merges the sums of all processes into process 0: 1 there, else 0. */
int stats_merge_peers(struct stats *s);

/* ---- of exchange_volume.c ---- */

/* Bytes between processes, by what they are for. */
struct stats_volume {
	double messages, collectives, calls, sums;
};

/*
 * What n processes exchange while they read the trace, as its sums have it:
 * messages between ranks of two owners, members of collectives away from who
 * has them, calls of flows on their way to process 0 and to those that waited
 * for them, and sums. Process 0, after it was read. Taken to be so: ranks of a
 * communicator are neighbours, and what is known of the reasons of waits that
 * others have found holds for all of them. Locks are not in it.
 */
struct stats_volume stats_volume(const struct stats *s, int n);

/* What was exchanged and what is modelled, in two lines on stderr. */
void stats_print_volume(const struct stats *s);

#endif
