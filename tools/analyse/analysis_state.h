/*
 * The state of analysis.h, for its files: walk.c goes on, of_messages.c
 * and of_rounds.c find waits. Functions return 0 or an error, which is noted.
 */
#ifndef TAPE_ANALYSIS_STATE_H
#define TAPE_ANALYSIS_STATE_H

#include "analysis.h"
#include "locks.h"
#include "sends.h"

/* Late senders that are remembered of a flow, as Scalasca does. */
enum { REMEMBERED = 100 };

/* A wait for a late sender, and whether it was counted as of wrong order. */
struct remembered {
	int64_t sent_ns, ns;
	struct tape_waited wait;
};

struct lane {
	int64_t last_ns;         /* the end of its last event */
	double alpha_after_ns;   /* of that */
	uint32_t region, after;  /* where it computes, and that as activity */
	uint32_t computes;
	uint64_t events;         /* so far */
	struct tape_sync *open;  /* the event under way; NULL: it is none
				  * that waits, or there is none */
	struct tape_sync *end;   /* MPI_Finalize */
	uint64_t *sends;         /* completed by the event under way */
	size_t n_sends, sends_room;
	struct remembered *late;
	size_t n_late;
	int64_t latest_sent_ns;  /* of those */
	struct tape_span span;
	int inside;              /* of the span */
};

struct tape_analysis {
	struct tape_trace *t;
	struct tape_replay *replay;
	struct tape_places *places;
	struct tape_history *history;
	struct tape_sends sends;
	struct tape_locks locks;
	struct lane *lanes;
	size_t n;
	uint32_t *first_flow;    /* of each rank */
	int comparable, over, error, followed;
	struct tape_clocks_now *clocks; /* of a trace that is followed */
	size_t domains;
	/* of a call that ends several receives: the longest wait so far */
	struct tape_waited pending;
	struct tape_sync *pending_call, *pending_late;
	int64_t pending_cause;
	/* what is to be given out */
	struct tape_waited *waits;
	size_t n_waits, at, room;
	const struct tape_item *held;
	struct tape_found found;
	struct tape_wait_member *member;
	int64_t *wait_ns;
	int32_t *late;
	size_t members;
	char sentence[256];
};

int tape_analysis_no_memory(struct tape_analysis *a);

size_t tape_analysis_flow(const struct tape_analysis *a, int rank, int thread);

/*
 * The call s waited as w says, of which kind, from_ns, ns and late_flow are
 * set: for what late began at cause_ns. What s waited before is part of it.
 */
int tape_analysis_put(struct tape_analysis *a, struct tape_waited w,
		      struct tape_sync *s, struct tape_sync *late,
		      int64_t cause_ns);

/* Gives w out as it is. */
int tape_analysis_add(struct tape_analysis *a, const struct tape_waited *w);

/* A message is over; of_messages.c. */
int tape_analysis_message(struct tape_analysis *a, const struct tape_item *i);
/* An event begins: which sends will it complete? And it has ended. */
int tape_analysis_note_sends(struct tape_analysis *a,
			     const struct tape_event *e);
int tape_analysis_sends_ended(struct tape_analysis *a,
			      const struct tape_event *e);
/* The receives of the last call are all known. */
int tape_analysis_flush(struct tape_analysis *a);

/* A collective is over; of_rounds.c. */
int tape_analysis_round(struct tape_analysis *a,
			const struct tape_collective_round *q);
/* Who waited in MPI_Finalize, after all. */
int tape_analysis_end(struct tape_analysis *a);

#endif
