/* First steps of loops; see first_steps.h. */
#include <stdlib.h>

#include "first_steps.h"
#include "hash_bits.h"

void tape_cost_add_late_call(struct tape_cost *c, const struct tape_sync *late,
			     double ns)
{
	if (c->late_call == late->call) {
		c->late_ns += ns;
		c->steps += c->late_event != late->event;
		c->late_event = late->event;
	} else if (ns > c->late_ns) {
		c->late_call = late->call;
		c->late_ns = ns - c->late_ns;
		c->steps = 1;
		c->late_event = late->event;
	} else {
		c->late_ns -= ns;
	}
}

static double cost_ns(const struct tape_cost *c)
{
	return c->delay.direct_ns + c->delay.spread_ns;
}

static const struct tape_activity *
find_activity(const struct tape_places *places, const struct tape_cost *c)
{
	return tape_place_get(places, c->delay.activity);
}

/* Returns the key of a flow, a region and the call that was late. */
static uint64_t loop_key(struct tape_places *places, const struct tape_cost *c)
{
	uint64_t key =
	    tape_spread_bits((uint64_t)c->delay.flow << 32 | c->late_call);

	key = (key ^ find_activity(places, c)->region) * 0xc2b2ae3d27d4eb4fu;
	return key ? key : 1;
}

/* Returns 1 if c is the first step of the loop x. */
static int is_first_step(struct tape_places *places, const struct tape_cost *c,
			 const struct tape_cost *x)
{
	return x->delay.flow == c->delay.flow && x->late_call == c->late_call &&
	       find_activity(places, x)->region ==
		   find_activity(places, c)->region &&
	       cost_ns(c) * (double)x->steps <= 2 * cost_ns(x);
}

int tape_delay_compare(const void *a, const void *b, void *places)
{
	const struct tape_delay *x = a, *y = b;
	double u = x->direct_ns + x->spread_ns;
	double v = y->direct_ns + y->spread_ns;

	if (u != v)
		return u < v ? 1 : -1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return tape_place_compare(places, x->activity, y->activity);
}

/* Compares what two pointers to costs point to: its first member is a delay. */
static int by_cost_at(const void *a, const void *b, void *places)
{
	struct tape_cost *const *x = a, *const *y = b;

	return tape_delay_compare(*x, *y, places);
}

/* Lists costs of computing, the costliest first. NULL: out of memory. */
static struct tape_cost **list_computing(struct tape_table *costs,
					 struct tape_places *places, size_t *n)
{
	struct tape_cost **list = calloc(costs->used + 1, sizeof *list), *c;
	size_t at = 0;
	uint64_t key;

	*n = 0;
	while (list && (c = tape_table_each(costs, &at, &key)))
		if (find_activity(places, c)->kind == TAPE_ACTIVITY_COMPUTES)
			list[(*n)++] = c;
	if (list)
		qsort_r(list, *n, sizeof *list, by_cost_at, places);
	return list;
}

/* A loop is the costliest activity of a flow and call that was late twice. */
int tape_first_steps_join(struct tape_table *costs, struct tape_places *places)
{
	struct tape_table loops = {.bytes = sizeof(struct tape_cost *)};
	struct tape_cost **list, **x;
	int rc = 0;
	size_t n;

	list = list_computing(costs, places, &n);
	if (!list)
		return TAPE_ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		if (list[i]->steps < 2)
			continue;
		x = tape_table_get(&loops, loop_key(places, list[i]));
		if (!x)
			rc = TAPE_ENOMEM;
		else if (!*x)
			*x = list[i];
	}
	for (size_t i = 0; !rc && i < n; i++) {
		struct tape_cost *c = list[i];

		x = c->steps == 1 ? tape_table_find(&loops, loop_key(places, c))
				  : NULL;
		if (!x || !is_first_step(places, c, *x))
			continue;
		(*x)->delay.direct_ns += c->delay.direct_ns;
		(*x)->delay.spread_ns += c->delay.spread_ns;
		(*x)->delay.ready.from_ns += c->delay.ready.from_ns;
		(*x)->delay.ready.to_ns += c->delay.ready.to_ns;
		c->loop = (*x)->delay.activity;
	}
	tape_table_free(&loops);
	free(list);
	return rc;
}
