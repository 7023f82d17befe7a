/*
 * An analysis by several processes, each of own flows, that meet now and then
 * (stride.h); see analysis_state.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis_state.h"
#include "stride.h"

struct posted {
	uint64_t key;
	struct tape_held_send send;
};
_Static_assert(sizeof(struct posted) == TAPE_POSTED_BYTES &&
		   sizeof(struct result) == TAPE_RESULT_BYTES,
	       "see analysis.h");

/* A call that lets go of a lock begins, or one that may have waited ends. */
struct lock_call {
	uint64_t key, event;
	int64_t ns, begun_ns;
	uint32_t flow, call, begins, pad;
};

struct together {
	struct tape_stride stride;
	struct lock_call *lock; /* not looked at yet */
	size_t n, room;
};

int tape_together_open(struct tape_analysis *a)
{
	a->together = calloc(1, sizeof *a->together);
	if (!a->together)
		return TAPE_ENOMEM;
	tape_stride_open(&a->together->stride);
	return 0;
}

void tape_together_close(struct tape_analysis *a)
{
	if (a->together)
		free(a->together->lock);
	free(a->together);
}

static int put(struct tape_analysis *a, int to, unsigned kind, const void *data,
	       size_t bytes)
{
	return tape_peers_put(a->peers, to, kind, data, bytes)
		   ? tape_analysis_no_memory(a)
		   : 0;
}

static int put_all(struct tape_analysis *a, unsigned kind, const void *data,
		   size_t bytes)
{
	int rc = 0;

	for (int i = 0; !rc && i < a->peers->n; i++)
		rc = put(a, i, kind, data, bytes);
	return rc;
}

int tape_together_posted(struct tape_analysis *a, int owner, uint64_t key,
			 const struct tape_held_send *h)
{
	struct posted p = {key, *h};

	return put(a, owner, TAPE_PEERS_POSTED, &p, sizeof p);
}

/* ---- locks: each is one owner's, who has them in the order of time ---- */

int tape_together_lock(struct tape_analysis *a, const struct tape_event *e,
		       uint64_t key, uint64_t event, uint32_t call, int begins)
{
	struct lock_call c = {.key = key,
			      .event = event,
			      .ns = begins ? e->start_ns : e->end_ns,
			      .begun_ns = e->start_ns,
			      .flow = e->flow,
			      .call = call,
			      .begins = (uint32_t)begins};

	return put(a, (int)(key % (uint64_t)a->peers->n), TAPE_PEERS_LOCK, &c,
		   sizeof c);
}

static int add_lock(struct tape_analysis *a, const void *data)
{
	struct together *g = a->together;
	struct lock_call *more;
	size_t room = 2 * g->room + 64;

	if (g->n == g->room) {
		more = realloc(g->lock, room * sizeof *more);
		if (!more)
			return tape_analysis_no_memory(a);
		g->lock = more;
		g->room = room;
	}
	memcpy(&g->lock[g->n++], data, sizeof *g->lock);
	return 0;
}

/* As turns.h has it. */
static int by_turn(const void *a, const void *b)
{
	const struct lock_call *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins < y->begins ? -1 : 1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static int one_lock(struct tape_analysis *a, const struct lock_call *c)
{
	struct tape_let let = {c->ns, c->event, c->flow, c->call};
	struct result r = {.kind = TAPE_WAIT_LOCK,
			   .flow = c->flow,
			   .event = c->event,
			   .from_ns = c->begun_ns};
	int rank = tape_trace_flow(a->t, c->flow)->rank;
	const struct tape_let *late;

	if (c->begins)
		return tape_locks_begin(&a->locks, c->key, &let)
			   ? tape_analysis_no_memory(a)
			   : 0;
	late = tape_locks_end(&a->locks, c->key, c->flow, c->begun_ns, c->ns);
	if (late) {
		r.ns = late->begun_ns - c->begun_ns;
		r.cause_ns = late->begun_ns;
		r.late_flow = late->flow;
		r.late_event = late->event;
		r.late_call = late->call;
	}
	return put(a, a->peers->owner[rank], TAPE_PEERS_RESULT, &r, sizeof r);
}

/* All that is before ns is known. */
static int locks(struct tape_analysis *a, int64_t ns)
{
	struct together *g = a->together;
	size_t n = 0;
	int rc = 0;

	if (g->n)
		qsort(g->lock, g->n, sizeof *g->lock, by_turn);
	while (!rc && n < g->n && (g->lock[n].ns < ns || ns == INT64_MAX))
		rc = one_lock(a, &g->lock[n++]);
	g->n -= n;
	if (n)
		memmove(g->lock, g->lock + n, g->n * sizeof *g->lock);
	return rc;
}

/* ---- meeting ---- */

static int hear(struct tape_analysis *a, unsigned kind, const void *data,
		struct result *last)
{
	struct posted p;
	struct result r;

	switch (kind) {
	case TAPE_PEERS_STATE:
		tape_stride_hear(&a->together->stride, data);
		return 0;
	case TAPE_PEERS_RESULT:
		memcpy(&r, data, sizeof r);
		return tape_analysis_result(a, &r);
	case TAPE_PEERS_POSTED:
		memcpy(&p, data, sizeof p);
		return tape_analysis_posted(a, p.key, &p.send);
	case TAPE_PEERS_LOCK:
		return add_lock(a, data);
	case TAPE_PEERS_LAST:
		memcpy(&r, data, sizeof r);
		/* of several at once that of the first flow */
		if (last && r.event &&
		    (!last->event || r.from_ns > last->from_ns ||
		     (r.from_ns == last->from_ns && r.flow < last->flow)))
			*last = r;
		return 0;
	default:
		return tape_replay_arrive(a->replay, kind, data) < 0
			   ? tape_analysis_no_memory(a)
			   : 0;
	}
}

static int meet(struct tape_analysis *a, struct result *last)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int rc = 0;

	if (a->peers->swap(a->peers))
		return tape_analysis_no_memory(a);
	while (!rc && (data = tape_peers_next(a->peers, &at, &kind, &bytes)))
		rc = hear(a, kind, data, last);
	return rc;
}

int tape_together_meet(struct tape_analysis *a)
{
	struct tape_stride *m = &a->together->stride;
	int rc = 0;

	if (tape_stride_begin(m, a->replay, a->peers))
		rc = tape_analysis_no_memory(a);
	if (!rc)
		rc = meet(a, NULL);
	if (!rc)
		rc = locks(a, m->first_ns);
	if (!rc)
		tape_stride_end(m, a->replay);
	return rc;
}

int tape_together_end(struct tape_analysis *a, struct result *last)
{
	struct result own = *last;
	int rc = put_all(a, TAPE_PEERS_LAST, &own, sizeof own);

	*last = (struct result){0};
	return rc ? rc : meet(a, last);
}
