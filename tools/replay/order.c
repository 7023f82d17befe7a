/* Events in the order of matching; see order.h. */
#include <stdlib.h>

#include "order.h"

struct tape_order {
	struct tape_merge *merge;
	const struct tape_event *next; /* of the merge, not given out yet */
	int rc;                        /* that of the merge, at its end */
	size_t n;
	int *several;                  /* by rank: has it several flows? */
	/* by flow: a receive that has begun. There is one at most, since the
	 * flow goes on after its end. */
	struct tape_event *held;
	unsigned char *is_held;
	size_t n_held;
};

int tape_order_open(struct tape_trace *t, struct tape_order **out)
{
	struct tape_order *o = calloc(1, sizeof *o);
	int rc = TAPE_ENOMEM;

	*out = NULL;
	if (!o)
		return rc;
	o->n = tape_trace_flows(t);
	o->several = calloc(tape_trace_ranks(t) + 1, sizeof *o->several);
	o->held = calloc(o->n + 1, sizeof *o->held);
	o->is_held = calloc(o->n + 1, 1);
	if (!o->several || !o->held || !o->is_held)
		goto out;
	/* flows of a rank follow each other */
	for (size_t i = 1; i < o->n; i++)
		if (tape_trace_flow(t, i)->rank ==
		    tape_trace_flow(t, i - 1)->rank)
			o->several[tape_trace_flow(t, i)->rank] = 1;
	rc = tape_merge_open(t, &o->merge);
out:
	if (rc < 0)
		tape_order_close(o);
	else
		*out = o;
	return rc;
}

void tape_order_close(struct tape_order *o)
{
	if (!o)
		return;
	tape_merge_close(o->merge);
	free(o->several);
	free(o->held);
	free(o->is_held);
	free(o);
}

/* The held receive that ends first. */
static size_t first_held(const struct tape_order *o)
{
	size_t best = o->n;

	for (size_t i = 0; i < o->n; i++)
		if (o->is_held[i] && (best == o->n ||
				      o->held[i].end_ns < o->held[best].end_ns))
			best = i;
	return best;
}

/* Fetches the next event of the merge, if there is one. */
static void fetch(struct tape_order *o)
{
	if (o->next || o->rc)
		return;
	o->rc = tape_merge_next(o->merge, &o->next);
	if (o->rc == 1)
		o->rc = 0;
	else
		o->next = NULL, o->rc = o->rc ? o->rc : 1;
}

int tape_order_next(struct tape_order *o, const struct tape_event **e)
{
	for (;;) {
		size_t h = o->n;

		fetch(o);
		if (o->rc < 0)
			return o->rc;
		if (o->n_held)
			h = first_held(o);
		if (h < o->n &&
		    (!o->next || o->held[h].end_ns <= o->next->start_ns)) {
			o->is_held[h] = 0;
			o->n_held--;
			*e = &o->held[h];
			return 1;
		}
		if (!o->next)
			return 0;
		*e = o->next;
		o->next = NULL;
		if (!o->several[(*e)->rank] ||
		    (*e)->class_ != TAPE_CLASS_RECV)
			return 1;
		o->held[(*e)->flow] = **e;
		o->is_held[(*e)->flow] = 1;
		o->n_held++;
	}
}

const struct tape_merge *tape_order_merge(const struct tape_order *o)
{
	return o->merge;
}

const char *tape_order_error(const struct tape_order *o)
{
	return o ? tape_merge_error(o->merge) : "out of memory";
}
