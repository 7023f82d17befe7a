/*
 * The engine's state of each message, request and collective of lib/replay:
 * corrected timestamps and perturbations.
 */
#ifndef CORRECT_ITEM_STATE_H
#define CORRECT_ITEM_STATE_H

#include <stdint.h>
#include <string.h>

#include "delay_bounds.h"
#include "match.h"
#include "ops.h"
#include "rounds.h"

struct blame;
struct known_receives;

/* State of a request, or of a blocking call, of ops.h. */
struct request_state {
	uint32_t slot1; /* its message's slot plus 1; 0: none yet */
	uint32_t open;	/* its place among the open receives, or 0 */
	int32_t rendezvous;
	int32_t handed_by; /* which thread, plus 1; 0: none yet */
	int64_t start_ns;
	struct tape_delay p;
	int64_t handed_ns; /* when a thread last had to do with it */
	struct tape_delay handed_p;
};

static inline struct request_state *request_state(const struct tape_request *r)
{
	return (struct request_state *)(uintptr_t)(r + 1);
}

static inline uint32_t match_slot(const struct tape_request *r)
{
	return request_state(r)->slot1 - 1;
}

/* State of each side of a message. */
struct side {
	int64_t written_ns; /* the date of its start, corrected */
	struct tape_delay p;
	struct blame *blame; /* of what p consists */
	struct known_receives *known; /* of a send: when it began */
	/* the send waits for the receive; on the links, plus 1: of the send */
	uint32_t rendezvous : 1, flight1 : 31;
	uint32_t waiter;      /* the flow, plus 1, that cannot go on before
			       * the other side is there; 0: none */
	int32_t waiting_peer; /* of a send: the process, plus 1, that waits
			       * to hear of its receive; 0: none, and there */
	uint32_t remote_slot; /* it has this one */
};

static inline struct side *send_side(const struct tape_slot *s)
{
	return (struct side *)(uintptr_t)(s->send + 1);
}

static inline struct side *receive_side(const struct tape_slot *s)
{
	return (struct side *)(uintptr_t)(s->recv + 1);
}

/* State of a collective. */
struct collective_state {
	int64_t latest_written_ns;
	struct tape_delay latest_ta; /* start less p (lo, hi) after base_ns */
	double lo, hi; /* bounds of p of all entries */
	uint64_t bytes;
	int has_exits, solved; /* has the table been looked into? */
	int32_t weak, pad;     /* some member need not wait for all */
	/* flows, plus 1, that cannot go on: before all have entered, or some;
	 * each names the next one */
	uint32_t for_all, for_some;
	/* where the last member stands that has not entered; as of the skip
	 * (deadlock.c) of that number */
	uint64_t looked;
	int64_t last_stands_at;
};

/* State of a member, by rank in the collective. */
struct member_state {
	int64_t written_ns;
	struct tape_delay p, exit;
	struct blame *blame;
};

static inline struct collective_state *
collective_state(const struct tape_round *q)
{
	return q->own;
}

static inline struct member_state *member_state(const struct tape_round *q,
						int rank)
{
	return (struct member_state *)((struct collective_state *)q->own + 1) +
	       rank;
}

/* A copy of a message that is in no table. */
struct detached_message {
	struct tape_slot s;
	struct {
		struct tape_match_side side;
		struct side kept;
	} of[2];
};

/* Copies s into m; NULL: clears m. */
static inline void copy_detached(struct detached_message *m,
				 const struct tape_slot *s)
{
	memset(m, 0, sizeof *m);
	if (s) {
		m->s = *s;
		m->of[0].side = *s->send;
		m->of[0].kept = *send_side(s);
		m->of[1].side = *s->recv;
		m->of[1].kept = *receive_side(s);
	}
	m->s.send = &m->of[0].side;
	m->s.recv = &m->of[1].side;
}

/*
 * Adds the entry of a rank into q at start_ns, corrected written_ns, delayed by
 * p. Returns 0 if the rank had entered before.
 */
int engine_add_entry(struct tape_round *q, int rank, int64_t start_ns,
		     int64_t written_ns, const struct tape_delay *p);

#endif
