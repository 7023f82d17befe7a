/* Sends on their way to other processes; see pending_sends.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "pending_sends.h"
#include "tape_follow.h"

enum state { PENDING, OVER, CANCELLED };

/* Of a rank, in order. */
struct queue {
	struct unsent {
		struct tape_sent sent;
		int to;
		enum state state;
	} * list;
	size_t first, n, room;
	int cancels; /* 0: not known yet, -1: it does not */
};

struct tape_pending_sends {
	const struct tape_trace *t;
	struct tape_peers *peers;
	struct queue *queue; /* by rank */
};

struct tape_pending_sends *tape_pending_sends_new(const struct tape_trace *t,
						  struct tape_peers *p)
{
	struct tape_pending_sends *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	*o = (struct tape_pending_sends){t, p, NULL};
	o->queue = calloc(tape_trace_ranks(t) + 1, sizeof *o->queue);
	if (o->queue)
		return o;
	free(o);
	return NULL;
}

void tape_pending_sends_free(struct tape_pending_sends *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < tape_trace_ranks(o->t); i++)
		free(o->queue[i].list);
	free(o->queue);
	free(o);
}

/* Has the rank a call that cancels? While it runs it may yet have one. */
static int may_cancel_sends(struct tape_pending_sends *o, int rank)
{
	const struct tape_rank_info *r = tape_trace_rank(o->t, rank);
	struct queue *q = &o->queue[rank];

	if (q->cancels)
		return q->cancels > 0;
	q->cancels = tape_trace_followed(o->t) ? 1 : -1;
	for (size_t i = 0; i < r->n_sites; i++)
		if (r->sites[i].call == TAPE_CALL_MPI_Cancel)
			q->cancels = 1;
	return q->cancels > 0;
}

/* What is known to be sent goes, or all. */
static int send_queued(struct tape_pending_sends *o, struct queue *q, int all)
{
	int rc = 0;

	for (; !rc && q->first < q->n; q->first++) {
		struct unsent *u = &q->list[q->first];

		if (u->state == PENDING && !all)
			return 0;
		if (u->state != CANCELLED)
			rc = tape_peers_put(o->peers, u->to, TAPE_PEERS_SENT,
					    &u->sent, sizeof u->sent);
	}
	q->first = q->n = 0;
	return rc;
}

/* Room for one more: 0 or TAPE_ENOMEM. */
static int grow_send_queue(struct queue *q)
{
	struct unsent *more;

	if (q->n == q->room && q->first > q->n / 2) {
		q->n -= q->first;
		memmove(q->list, q->list + q->first, q->n * sizeof *q->list);
		q->first = 0;
	}
	more = tape_grow_array(q->list, &q->room, q->n + 1, sizeof *more);
	if (!more)
		return TAPE_ENOMEM;
	q->list = more;
	return 0;
}

int tape_pending_sends_add(struct tape_pending_sends *o,
			   const struct tape_sent *a, int to)
{
	struct queue *q = &o->queue[a->begun.rank];

	if (!may_cancel_sends(o, a->begun.rank))
		return tape_peers_put(o->peers, to, TAPE_PEERS_SENT, a,
				      sizeof *a);
	if (grow_send_queue(q))
		return TAPE_ENOMEM;
	q->list[q->n++] = (struct unsent){*a, to, a->request ? PENDING : OVER};
	return send_queued(o, q, 0);
}

int tape_pending_sends_end(struct tape_pending_sends *o,
			   const struct tape_where *begun, uint64_t request,
			   int cancelled)
{
	struct queue *q = o ? &o->queue[begun->rank] : NULL;
	int rc;

	for (size_t i = q ? q->first : 0; q && i < q->n; i++) {
		struct tape_sent *a = &q->list[i].sent;

		if (a->begun.event != begun->event ||
		    a->begun.thread != begun->thread || a->request != request)
			continue;
		q->list[i].state = cancelled ? CANCELLED : OVER;
		rc = send_queued(o, q, 0);
		return rc ? rc : 1;
	}
	return 0;
}

void tape_pending_sends_each(const struct tape_pending_sends *o,
			     void (*f)(void *own, int to,
				       const struct tape_sent *s),
			     void *own)
{
	for (size_t i = 0; o && i < tape_trace_ranks(o->t); i++) {
		const struct queue *q = &o->queue[i];

		for (size_t k = q->first; k < q->n; k++)
			if (q->list[k].state != CANCELLED)
				f(own, q->list[k].to, &q->list[k].sent);
	}
}

int tape_pending_sends_flush(struct tape_pending_sends *o)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < tape_trace_ranks(o->t); i++)
		rc = send_queued(o, &o->queue[i], 1);
	return rc;
}
