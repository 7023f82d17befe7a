/*
 * An analysis by several processes, each of own flows, that meet now and then
 * (pacing.h); see analysis_state.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis_state.h"
#include "clocks_now.h"
#include "growing_array.h"
#include "sort.h"
#include "pacing.h"
#include "tape_follow.h"

/* As far ahead of the one that is behind the first may be, with clocks. */
enum { CLOCKS_NS = 20000000 };

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
	struct tape_pacing stride;
	struct tape_bytes *kept; /* of each, since it went on */
	struct tape_guest guest; /* allows NULL: there is none */
	struct lock_call *lock;	 /* not looked at yet */
	size_t n, room;
};

int tape_parallel_open(struct tape_analysis *a)
{
	a->together = calloc(1, sizeof *a->together);
	if (!a->together)
		return TAPE_ENOMEM;
	tape_pacing_init(&a->together->stride);
	/* clocks drift while those who see their messages do not meet */
	if (a->clocks)
		a->together->stride.most_ns = CLOCKS_NS;
	a->together->kept =
	    calloc((size_t)a->peers->n, sizeof *a->together->kept);
	return a->together->kept ? 0 : TAPE_ENOMEM;
}

void tape_parallel_close(struct tape_analysis *a)
{
	struct together *g = a->together;

	if (!g)
		return;
	for (int i = 0; g->kept && i < a->peers->n; i++)
		free(g->kept[i].at);
	free(g->kept);
	free(g->lock);
	free(g);
}

/* ---- places, which each process numbers by itself ---- */

/* What another has seen of a trace that is followed is defined by now. */
static uint32_t place_from_code(struct tape_analysis *a, uint32_t code)
{
	uint32_t n = tape_place_from_code(a->places, code);

	if (n || !code || tape_trace_catch_up(a->t))
		return n;
	return tape_place_from_code(a->places, code);
}

uint32_t tape_analysis_place(struct tape_analysis *a,
			     const struct tape_where *w)
{
	const struct tape_rank_info *r = tape_trace_rank(a->t, w->rank);

	if (a->peers && a->followed && w->site && w->site < r->n_sites &&
	    !r->sites[w->site].call && !tape_peers_owns_rank(a->peers, w->rank))
		(void)tape_trace_catch_up(a->t);
	return tape_place_from_site(a->places, w->rank, w->site, w->call);
}

uint32_t tape_analysis_region(struct tape_analysis *a,
			      const struct tape_where *w)
{
	const struct tape_rank_info *r = tape_trace_rank(a->t, w->rank);

	if (!w->region)
		return 0;
	if (a->peers && a->followed &&
	    !tape_peers_owns_rank(a->peers, w->rank) &&
	    (w->region >= r->n_regions || !r->regions[w->region]))
		(void)tape_trace_catch_up(a->t);
	return tape_place_from_region(a->places, w->rank, w->region);
}

static int queue_for_peer(struct tape_analysis *a, int to, unsigned kind,
			  const void *data, size_t bytes)
{
	return tape_peers_put(a->peers, to, kind, data, bytes)
		   ? tape_analysis_no_memory(a)
		   : 0;
}

static int queue_for_all(struct tape_analysis *a, unsigned kind,
			 const void *data, size_t bytes)
{
	int rc = 0;

	for (int i = 0; !rc && i < a->peers->n; i++)
		rc = queue_for_peer(a, i, kind, data, bytes);
	return rc;
}

int tape_parallel_send_post(struct tape_analysis *a, int owner, uint64_t key,
			    const struct tape_held_send *h)
{
	struct posted p = {key, *h};

	p.send.call = tape_place_code(a->places, h->call);
	return queue_for_peer(a, owner, TAPE_PEERS_POSTED, &p, sizeof p);
}

/* ---- locks: each is one owner's, who has them in the order of time ---- */

int tape_parallel_send_result(struct tape_analysis *a, int owner,
			      const struct result *r)
{
	struct result one = *r;

	one.late_call = tape_place_code(a->places, r->late_call);
	return queue_for_peer(a, owner, TAPE_PEERS_RESULT, &one, sizeof one);
}

int tape_parallel_send_lock(struct tape_analysis *a, const struct tape_event *e,
			    uint64_t key, uint64_t event, uint32_t call,
			    int begins)
{
	struct lock_call c = {.key = key,
			      .event = event,
			      .ns = begins ? e->start_ns : e->end_ns,
			      .begun_ns = e->start_ns,
			      .flow = e->flow,
			      .call = tape_place_code(a->places, call),
			      .begins = (uint32_t)begins};

	return queue_for_peer(a, (int)(key % (uint64_t)a->peers->n),
			      TAPE_PEERS_LOCK, &c, sizeof c);
}

static int add_lock(struct tape_analysis *a, const void *data)
{
	struct together *g = a->together;
	struct lock_call *more =
	    tape_grow_array(g->lock, &g->room, g->n + 1, sizeof *more);

	if (!more)
		return tape_analysis_no_memory(a);
	g->lock = more;
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

static int process_lock_call(struct tape_analysis *a, const struct lock_call *c)
{
	struct tape_let let = {c->ns, c->event, c->flow, c->call};
	struct result r = {.kind = TAPE_WAIT_LOCK,
			   .flow = c->flow,
			   .event = c->event,
			   .from_ns = c->begun_ns};
	int rank = tape_trace_flow(a->t, c->flow)->rank;
	const struct tape_let *late;

	if (c->begins)
		return tape_locks_add_release(&a->locks, c->key, &let)
			   ? tape_analysis_no_memory(a)
			   : 0;
	late = tape_locks_find_release(&a->locks, c->key, c->flow, c->begun_ns,
				       c->ns);
	if (late) {
		r.ns = late->begun_ns - c->begun_ns;
		r.cause_ns = late->begun_ns;
		r.late_flow = late->flow;
		r.late_event = late->event;
		r.late_call = late->call;
	}
	return queue_for_peer(a, a->peers->owner[rank], TAPE_PEERS_RESULT, &r,
			      sizeof r);
}

/* All that is before ns is known. */
static int process_locks(struct tape_analysis *a, int64_t ns)
{
	struct together *g = a->together;
	size_t n = 0;
	int rc = 0;

	if (g->n)
		tape_sort(g->lock, g->n, sizeof *g->lock, by_turn);
	while (!rc && n < g->n && (g->lock[n].ns < ns || ns == INT64_MAX))
		rc = process_lock_call(a, &g->lock[n++]);
	g->n -= n;
	if (n)
		memmove(g->lock, g->lock + n, g->n * sizeof *g->lock);
	return rc;
}

/* ---- meeting ---- */

void tape_analysis_set_guest(struct tape_analysis *a,
			     const struct tape_guest *g)
{
	a->together->guest = *g;
	a->together->stride.limit_ns = g->allows(g->self);
}

static int handle_record(struct tape_analysis *a, unsigned kind,
			 const void *data, struct result *last)
{
	struct posted p;
	struct result r;

	switch (kind) {
	case TAPE_PEERS_STATE:
		tape_pacing_receive(&a->together->stride, data);
		return 0;
	case TAPE_PEERS_CLOCK:
		tape_clocks_now_receive(a->clocks, data);
		return 0;
	case TAPE_PEERS_RESULT:
		memcpy(&r, data, sizeof r);
		r.late_call = place_from_code(a, r.late_call);
		return tape_analysis_add_result(a, &r);
	case TAPE_PEERS_POSTED:
		memcpy(&p, data, sizeof p);
		p.send.call = place_from_code(a, p.send.call);
		return tape_analysis_add_post(a, p.key, &p.send);
	case TAPE_PEERS_LOCK:
		return add_lock(a, data);
	case TAPE_PEERS_LAST:
		memcpy(&r, data, sizeof r);
		/* of several at once that of the first flow */
		if (last && r.event &&
		    (!last->event || r.from_ns > last->from_ns ||
		     (r.from_ns == last->from_ns && r.flow < last->flow))) {
			*last = r;
			last->late_call = place_from_code(a, r.late_call);
		}
		return 0;
	default:
		return tape_replay_arrive(a->replay, kind, data) < 0
			   ? tape_analysis_no_memory(a)
			   : 0;
	}
}

static int is_of_guest(unsigned kind)
{
	return kind >= TAPE_KINDS_OF_GUEST && kind < TAPE_KINDS_OF_PARALLEL;
}

/* Handles the records that the processes of p sent. */
static int handle_records(struct tape_analysis *a, const struct tape_peers *p,
			  struct result *last)
{
	const struct tape_guest *g = &a->together->guest;
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int rc = 0;

	while (!rc && (data = tape_peers_next(p, &at, &kind, &bytes)))
		if (!is_of_guest(kind))
			rc = handle_record(a, kind, data, last);
		else if (g->hears(g->self, at.from, p == a->peers, kind, data))
			rc = tape_analysis_no_memory(a);
	return rc;
}

static int exchange_records(struct tape_analysis *a, struct result *last)
{
	struct tape_peers earlier = {.n = a->peers->n, .in = a->together->kept};
	int rc;

	if (a->peers->swap(a->peers))
		return tape_analysis_no_memory(a);
	rc = handle_records(a, &earlier, last);
	for (int i = 0; i < earlier.n; i++)
		earlier.in[i].n = 0;
	return rc ? rc : handle_records(a, a->peers, last);
}

int tape_analysis_exchange(struct tape_analysis *a)
{
	struct together *g = a->together;
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int rc = 0;

	if (tape_pacing_attend(&g->stride, a->replay, a->peers) ||
	    tape_clocks_now_send(a->clocks, a->peers) ||
	    a->peers->swap(a->peers))
		rc = tape_analysis_no_memory(a);
	while (!rc && (data = tape_peers_next(a->peers, &at, &kind, &bytes)))
		if (kind == TAPE_PEERS_CLOCK)
			tape_clocks_now_receive(a->clocks, data);
		else if (kind != TAPE_PEERS_STATE &&
			 tape_bytes_put(&g->kept[at.from], kind, data, bytes))
			rc = tape_analysis_no_memory(a);
	if (!rc && tape_clocks_now_settle(a->clocks))
		rc = tape_analysis_no_memory(a);
	return rc;
}

int tape_parallel_exchange(struct tape_analysis *a)
{
	struct tape_pacing *m = &a->together->stride;
	const struct tape_guest *g = &a->together->guest;
	int rc = 0;

	if (tape_pacing_begin(m, a->replay, a->peers) ||
	    tape_clocks_now_send(a->clocks, a->peers) ||
	    (g->allows && g->meets(g->self)))
		rc = tape_analysis_no_memory(a);
	if (!rc)
		rc = exchange_records(a, NULL);
	if (!rc && tape_clocks_now_settle(a->clocks))
		rc = tape_analysis_no_memory(a);
	if (!rc && g->allows)
		m->limit_ns = g->allows(g->self);
	if (!rc)
		rc = process_locks(a, m->first_ns);
	if (!rc)
		tape_pacing_end(m, a->replay);
	return rc;
}

int tape_parallel_finish(struct tape_analysis *a, struct result *last)
{
	struct result own = *last;
	int rc;

	own.late_call = tape_place_code(a->places, own.late_call);
	rc = queue_for_all(a, TAPE_PEERS_LAST, &own, sizeof own);
	if (!rc && tape_clocks_now_send(a->clocks, a->peers))
		rc = tape_analysis_no_memory(a);
	*last = (struct result){0};
	if (!rc)
		rc = exchange_records(a, last);
	if (!rc && tape_clocks_now_settle(a->clocks))
		rc = tape_analysis_no_memory(a);
	return rc;
}
