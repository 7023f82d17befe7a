/*
 * The state of analysis.h, for its files: analysis_open.c opens,
 * analysis_walk.c goes on, message_waits.c and collective_waits.c find waits.
 * Functions return 0 or an error, which is noted.
 */
#ifndef TAPE_ANALYSIS_STATE_H
#define TAPE_ANALYSIS_STATE_H

#include "analysis.h"
#include "eager_limits.h"
#include "locks.h"
#include "sends.h"

/* Late senders that are remembered of a flow, as Scalasca does. */
enum { REMEMBERED = 100, FEW = 4 };

/* A wait for a late sender, and whether it was counted as of wrong order. */
struct remembered {
	int64_t sent_ns, ns;
	struct tape_waited wait;
};

/* A receive that has ended, as its flow's waits need it. */
struct received {
	int64_t awaited_ns, ended_ns, sent_ns;
	uint64_t event, late_event; /* that ended it; that sent it */
	uint64_t posted;	    /* and posted it, of flow by */
	uint32_t to, from, late_call, by;
	uint16_t call;	 /* that ended it */
	uint16_t counts; /* 0: it got no message, or its own */
};

/* A call that asked for a message, and the share of its time inside of it. */
struct asker {
	struct tape_sync *s; /* NULL: none */
	double share;
};

/* What an asker waits to know: so many messages of one event. */
struct asked {
	struct asker by;
	uint64_t left;
};

/* A message that a probe found, and nobody has received yet. */
struct probe {
	struct asker by;
	uint32_t comm;
	int32_t peer, tag;
};

struct lane {
	int64_t last_ns;         /* the end of its last event */
	double alpha_after_ns;   /* of that */
	uint32_t region, after;  /* where it computes, and that as activity */
	uint32_t computes;
	/* the region that it computed in before, and as what; 0: not known */
	uint32_t other, other_computes;
	uint64_t events;         /* so far */
	uint64_t mark_event;     /* its last mark; 0: none */
	struct tape_processor mark;
	struct tape_sync *open;	 /* the event in progress; NULL: it is none
				  * that waits, or there is none */
	struct tape_sync *end;   /* MPI_Finalize */
	struct asker failed;	 /* tests that have just failed */
	struct probe probe;
	uint64_t *sends;	 /* completed by the event in progress */
	size_t n_sends, sends_room;
	struct remembered *late;
	size_t n_late;
	int64_t latest_sent_ns;  /* of those */
	struct tape_span span;
	int inside;              /* of the span */
};

/* What a call has waited, as a member of a collective or for a lock. */
struct result {
	uint64_t event, late_event, round;
	int64_t from_ns, ns, cause_ns;
	uint32_t flow, late_flow, late_call, kind;
};

struct tape_analysis {
	struct tape_trace *t;
	struct tape_peers *peers;
	struct together *together; /* with these */
	struct tape_replay *replay;
	struct tape_places *places;
	struct tape_history *history;
	struct tape_sends sends;
	struct tape_eager_limits eager;
	struct tape_locks locks;
	struct lane *lanes;
	size_t n;
	uint32_t *first_flow;    /* of each rank */
	int comparable, over, error, followed, disk_was_full;
	int has_no_causes; /* only waits are found */
	int omits_beginnings;
	struct tape_clocks_now *clocks; /* of a trace that is followed */
	size_t domains;
	int64_t slack_ns; /* between them, if slack_known */
	int slack_known;
	/* receives of each rank whose waits were looked at; and those that
	 * came before their turn, by rank and number */
	uint64_t *received;
	struct tape_table early;
	struct tape_table asked; /* probe_waits.c */
	uint64_t unknown; /* calls with something due */
	/* what is to be given out */
	struct tape_waited *waits;
	size_t n_waits, at, room;
	const struct tape_item *held;
	struct tape_found found;
	struct tape_wait_member *member;
	int64_t *wait_ns;
	int32_t *late;
	int32_t *order; /* of members, for tape_wait_collective */
	size_t members;
	char sentence[256];
};

int tape_analysis_no_memory(struct tape_analysis *a);
/* The history has no room; errno says why. */
int tape_analysis_no_file(struct tape_analysis *a);

size_t tape_analysis_flow_index(const struct tape_analysis *a, int rank,
				int thread);

static inline int tape_analysis_owns_flow(const struct tape_analysis *a,
					  size_t flow)
{
	return tape_peers_owns_rank(a->peers,
				    tape_trace_flow(a->t, flow)->rank);
}

/* The call of a flow that the event is; NULL: it is none. */
struct tape_sync *tape_analysis_find_call(const struct tape_analysis *a,
					  size_t flow, uint64_t event);

/*
 * A wait of the call s, of which something is due, as r says: the longest one
 * of a call counts, but to be received only where there is no other. What comes
 * of it must not depend on the order in which they are found.
 */
void tape_analysis_set_wait(struct tape_sync *s, const struct result *r);

/* Something of what was due of s is known. With all of it its wait comes out.
 */
int tape_analysis_settle_call(struct tape_analysis *a, struct tape_sync *s);

/* Both, of the call that r names. */
int tape_analysis_add_result(struct tape_analysis *a, const struct result *r);

/* Gives w out as it is. */
int tape_analysis_add_wait(struct tape_analysis *a,
			   const struct tape_waited *w);

/* A message is over; message_waits.c. */
int tape_analysis_add_message(struct tape_analysis *a,
			      const struct tape_item *i);
/* An event begins: which sends will it complete? And it has ended. */
int tape_analysis_note_sends(struct tape_analysis *a,
			     const struct tape_event *e);
int tape_analysis_end_sends(struct tape_analysis *a,
			    const struct tape_event *e);
/* A send of a flow here was received. */
int tape_analysis_add_post(struct tape_analysis *a, uint64_t key,
			   const struct tape_held_send *h);

/* ---- probe_waits.c ---- */

/* Returns 1 for a run of failed tests that takes at least half of its time. */
int tape_analysis_is_polling(const struct tape_event *e);

/* An event begins: settles a run of failed tests that it does not continue. */
int tape_analysis_begin_asking(struct tape_analysis *a,
			       const struct tape_event *e);

/* The event e, which completes so many receives, has ended: notes calls that
 * asked for its messages. */
int tape_analysis_end_asking(struct tape_analysis *a,
			     const struct tape_event *e, unsigned receives);

/*
 * A message is known that an event of the flow took, or whose receive it
 * posted. The call that asked for the message waited for late, whose late_event
 * is 0 if the sender is not known.
 */
int tape_analysis_settle_asked(struct tape_analysis *a, size_t flow,
			       uint64_t event, const struct result *late);

/* A collective is over; collective_waits.c. */
int tape_analysis_add_round(struct tape_analysis *a,
			    const struct tape_collective_round *q);
/* Who waited in MPI_Finalize, after all, for the last one, as r says it. */
struct result tape_analysis_last_finalize(const struct tape_analysis *a);
int tape_analysis_end_waits(struct tape_analysis *a, const struct result *last);

/* Parallel analysis (parallel_analysis.c). */
enum {
	TAPE_PEERS_RESULT = TAPE_KINDS_OF_WAITS,
	TAPE_PEERS_POSTED,
	TAPE_PEERS_LOCK,
	TAPE_PEERS_LAST
};
int tape_parallel_open(struct tape_analysis *a);
void tape_parallel_close(struct tape_analysis *a);
/* Exchanges records with all peers and processes the records received. */
int tape_parallel_exchange(struct tape_analysis *a);
/* The last time: *last is the last one in MPI_Finalize of all. */
int tape_parallel_finish(struct tape_analysis *a, struct result *last);
int tape_parallel_send_result(struct tape_analysis *a, int owner,
			      const struct result *r);
int tape_parallel_send_post(struct tape_analysis *a, int owner, uint64_t key,
			    const struct tape_held_send *h);
int tape_parallel_send_lock(struct tape_analysis *a, const struct tape_event *e,
			    uint64_t key, uint64_t event, uint32_t call,
			    int begins);

#endif
