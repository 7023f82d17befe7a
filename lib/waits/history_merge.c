/*
 * Merges calls that nothing waited for; see history.h. The newer calls of a
 * flow stand in blocks of their own, which are used again. When a flow needs
 * another one, its oldest are moved: a call that stays is copied behind those
 * that stayed before, the time of the others is carried on to it.
 *
 * A wait is for something that began after the call that waits. So nothing that
 * began before the first call with a wait that is not known yet, the horizon,
 * can still be waited for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "history_state.h"

enum { SMALL_BLOCK = 1 << 12 };

/* So many activities are carried on at most. */
enum { CARRIED = 64 };

void tape_history_merge_calls(struct tape_history *h)
{
	h->merges = 1;
	h->block = SMALL_BLOCK;
	h->horizon_ns = INT64_MIN;
}

int tape_history_is_merging(const struct tape_history *h)
{
	return h->merges;
}

void tape_history_end_flow(struct tape_history *h, size_t flow, uint64_t event)
{
	if (!h->flows[flow].end_event)
		h->flows[flow].end_event = event & 0xffffffffffff;
}

/* ---- the horizon ---- */

/* Returns 1 if something is due of the call, but for the end of its flow. */
static int is_unsettled(const struct flow *f, const struct tape_sync *s)
{
	return s->due && s->event != f->end_event;
}

/* The first unsettled call of a flow; NULL: none. */
static const struct tape_sync *first_unsettled(struct flow *f)
{
	for (; f->due_block < f->calls.n; f->due_block++, f->due_call = 0) {
		const struct block *b = &f->calls.blocks[f->due_block];

		for (; f->due_call < b->n; f->due_call++) {
			const struct tape_sync *s =
			    tape_block_call(b, f->due_call);

			if (is_unsettled(f, s))
				return s;
		}
		if (f->due_block + 1 == f->calls.n)
			break;
	}
	return NULL;
}

/* It is looked for again after as many calls as there are flows. */
static int64_t find_horizon(struct tape_history *h, int64_t now_ns)
{
	if (h->added < h->added_before + h->n)
		return h->horizon_ns;
	h->added_before = h->added;
	h->horizon_ns = now_ns;
	for (size_t i = 0; i < h->n; i++) {
		const struct tape_sync *s = first_unsettled(&h->flows[i]);

		if (s && s->begun_ns < h->horizon_ns)
			h->horizon_ns = s->begun_ns;
	}
	return h->horizon_ns;
}

/* ---- moving ---- */

static int carry_time(struct flow *f, uint32_t activity, int64_t ns)
{
	struct tape_spent *grown;

	if (ns <= 0)
		return 0;
	for (size_t i = f->n_carried; i-- > 0;)
		if (f->carried[i].activity == activity) {
			f->carried[i].ns += ns;
			return 0;
		}
	grown = tape_grow_array(f->carried, &f->carried_room, f->n_carried + 1,
				sizeof *grown);
	if (!grown)
		return -1;
	f->carried = grown;
	f->carried[f->n_carried++] =
	    (struct tape_spent){.activity = activity, .ns = ns};
	return 0;
}

static int has_to_stay(const struct flow *f, const struct tape_sync *s)
{
	return s->wait_ns || s->round || s->is_awaited ||
	       s->kind == TAPE_SYNC_MARK ||
	       f->n_carried >= CARRIED || s->ended_ns == INT64_MAX ||
	       (f->end_event && s->event >= f->end_event);
}

static int move_call(struct tape_history *h, size_t flow,
		     const struct tape_sync *s)
{
	struct flow *f = &h->flows[flow];
	struct tape_sync *to, *before;

	for (uint32_t i = 0; i < s->n_spent; i++)
		if (carry_time(f, s->spent[i].activity, s->spent[i].ns))
			return -1;
	if (!has_to_stay(f, s))
		return carry_time(f, s->call, s->ended_ns - s->begun_ns);
	to = tape_chain_add(h, flow, &f->merged, s->event, f->n_carried);
	if (!to)
		return -1;
	before = to->before;
	*to = *s;
	to->before = before;
	to->n_spent = (uint32_t)f->n_carried;
	if (f->n_carried)
		memcpy(to->spent, f->carried, f->n_carried * sizeof *to->spent);
	f->n_carried = 0;
	return 0;
}

static int move_calls(struct tape_history *h, size_t flow,
		      const struct block *b)
{
	int rc = 0;

	for (size_t k = 0; !rc && k < b->n; k++)
		rc = move_call(h, flow, tape_block_call(b, k));
	return rc;
}

/* The first block of calls is moved; another one stands behind it. */
static int move_first_block(struct tape_history *h, size_t flow)
{
	struct flow *f = &h->flows[flow];
	struct chain *c = &f->calls;
	struct block first = c->blocks[0];

	if (move_calls(h, flow, &first))
		return -1;
	c->n--;
	memmove(c->blocks, c->blocks + 1, c->n * sizeof *c->blocks);
	tape_block_call(&c->blocks[0], 0)->before = NULL;
	if (f->due_block)
		f->due_block--;
	else
		f->due_call = 0;
	return tape_block_release(h, &first);
}

/* Can none of its calls be waited for, and is nothing due of them? */
static int is_settled(struct tape_history *h, struct flow *f, int64_t now_ns)
{
	const struct chain *c = &f->calls;
	size_t k = 0;

	if (c->n < 2 || tape_block_call(&c->blocks[1], 0)->begun_ns >=
			    find_horizon(h, now_ns))
		return 0;
	while (k < c->blocks[0].n && !tape_block_call(&c->blocks[0], k)->due)
		k++;
	return k == c->blocks[0].n;
}

int tape_history_merge_oldest(struct tape_history *h, size_t flow,
			      int64_t now_ns)
{
	int rc = 0;

	while (!rc && is_settled(h, &h->flows[flow], now_ns))
		rc = move_first_block(h, flow);
	return rc;
}

/* ---- the end ---- */

/* All of the flow; what is carried on then stands before what is open. */
static int merge_rest(struct tape_history *h, size_t flow)
{
	struct flow *f = &h->flows[flow];
	size_t n;

	for (size_t k = 0; k < f->calls.n; k++)
		if (move_calls(h, flow, &f->calls.blocks[k]) ||
		    tape_block_release(h, &f->calls.blocks[k]))
			return -1;
	for (n = f->n_carried; n > 0; n--)
		if (tape_history_add_time(h, flow, f->carried[n - 1].activity,
					  f->carried[n - 1].ns))
			return -1;
	f->n_carried = 0;
	free(f->calls.blocks);
	f->calls = f->merged;
	f->merged = (struct chain){0};
	return 0;
}

static void link_flow(struct tape_history *h, size_t flow)
{
	struct tape_history_at at = {0};
	struct tape_sync *s;

	while ((s = tape_history_next_call(h, flow, &at))) {
		tape_history_count_read(h, s);
		s->late = s->wait_ns ? tape_history_find_call(h, s->late_flow,
							      s->late_event)
				     : NULL;
	}
}

int tape_history_merge_rest(struct tape_history *h)
{
	int rc = 0, error;

	if (!h->merges)
		return 0;
	h->merges = 0;
	for (size_t i = 0; !rc && i < h->n; i++)
		rc = merge_rest(h, i);
	for (size_t i = 0; !rc && i < h->n; i++)
		link_flow(h, i);
	error = errno;
	if (rc) {
		h->forgot = 1;
		tape_history_clear(h);
	}
	errno = error;
	return rc;
}
