/*
 * What the engine keeps of its own with what replay/ keeps of messages,
 * requests and collectives: how events are dated once they are corrected.
 */
#ifndef CORRECT_KEPT_H
#define CORRECT_KEPT_H

#include <stdint.h>
#include <string.h>

#include "delay_bounds.h"
#include "match.h"
#include "ops.h"
#include "rounds.h"

struct blame;

/* What the engine keeps with a request, or a blocking call, of ops.h. */
struct kept {
	uint32_t slot1;         /* its message's slot plus 1; 0: none yet */
	uint32_t open;          /* its place among the open receives, or 0 */
	int32_t rendezvous;
	int32_t handed_by;      /* which thread, plus 1; 0: none yet */
	int64_t start_ns;
	struct tape_delay p;
	int64_t handed_ns;      /* when a thread last had to do with it */
	struct tape_delay handed_p;
};

static inline struct kept *kept_of(const struct tape_request *r)
{
	return (struct kept *)(uintptr_t)(r + 1);
}

static inline uint32_t slot_of(const struct tape_request *r)
{
	return kept_of(r)->slot1 - 1;
}

/* And with each side of a message: its date, and what p it has. */
struct side {
	int64_t written_ns;     /* the date of its start, corrected */
	struct tape_delay p;
	struct blame *blame;    /* of what p consists */
	/* the send waits for the receive; on the links, plus 1: of the send */
	uint32_t rendezvous : 1, flight1 : 31;
	uint32_t waiter;        /* the flow, plus 1, that cannot go on before
				 * the other side is there; 0: none */
	int32_t away;		/* of a send: the process, plus 1, that waits
				 * to hear of its receive; 0: none, and there */
	uint32_t away_slot;	/* it has this one */
};

static inline struct side *sent_of(const struct tape_slot *s)
{
	return (struct side *)(uintptr_t)(s->send + 1);
}

static inline struct side *received_of(const struct tape_slot *s)
{
	return (struct side *)(uintptr_t)(s->recv + 1);
}

/* And with a collective, together with its entries, as corrected. */
struct meeting {
	int64_t latest_written_ns;
	struct tape_delay latest_ta; /* start less p (lo, hi) after base_ns */
	uint64_t bytes;
	int has_exits, solved;       /* has the table been looked into? */
	int32_t weak, pad;           /* some member need not wait for all */
	/* flows, plus 1, that cannot go on: before all have entered, or some;
	 * each names the next one */
	uint32_t for_all, for_some;
	/* where the last member stands that has not entered; as of the skip
	 * (stuck.c) of that number */
	uint64_t looked;
	int64_t last_stands_at;
};

/* By rank in it; exit: what is known of that. */
struct member {
	int64_t written_ns;
	struct tape_delay p, exit;
	struct blame *blame;
};

static inline struct meeting *meeting_of(const struct tape_round *q)
{
	return q->own;
}

static inline struct member *member_of(const struct tape_round *q, int rank)
{
	return (struct member *)((struct meeting *)q->own + 1) + rank;
}

/* A message that is in no table, for what it might be. */
struct alone {
	struct tape_slot s;
	struct {
		struct tape_match_side side;
		struct side kept;
	} of[2];
};

/* m becomes what s is; NULL: nothing. */
static inline void kept_copy(struct alone *m, const struct tape_slot *s)
{
	memset(m, 0, sizeof *m);
	if (s) {
		m->s = *s;
		m->of[0].side = *s->send;
		m->of[0].kept = *sent_of(s);
		m->of[1].side = *s->recv;
		m->of[1].kept = *received_of(s);
	}
	m->s.send = &m->of[0].side;
	m->s.recv = &m->of[1].side;
}

/*
 * That rank enters q at start_ns, corrected written_ns, delayed by p; 0: it had
 * before.
 */
int kept_enter(struct tape_round *q, int rank, int64_t start_ns,
	       int64_t written_ns, const struct tape_delay *p);

#endif
