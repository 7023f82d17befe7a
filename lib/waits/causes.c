/* Causes of waiting; see causes.h. */
#include <stdio.h>
#include <stdlib.h>

#include "causes.h"
#include "sort.h"

static double delay_ns(const struct tape_delay *d)
{
	return d->direct_ns + d->spread_ns;
}

static int order_causes(const void *a, const void *b)
{
	const struct tape_cause *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->activity < y->activity ? -1 : x->activity > y->activity;
}

static void add_delay(struct tape_cause *c, const struct tape_delay *d)
{
	c->ns += delay_ns(d);
	c->ready.from_ns += d->ready.from_ns;
	c->ready.to_ns += d->ready.to_ns;
}

struct tape_cause *tape_causes_list(const struct tape_delays *d, size_t *n)
{
	struct tape_cause *list = calloc(d->n + 1, sizeof *list);
	size_t activities = 1, *index;

	*n = 0;
	for (size_t i = 0; i < d->n; i++)
		if (d->delay[i].activity >= activities)
			activities = (size_t)d->delay[i].activity + 1;
	index = calloc(activities, sizeof *index); /* 0: not in the list */
	for (size_t i = 0; list && index && i < d->n; i++) {
		const struct tape_delay *x = &d->delay[i];

		/* the first of an activity is the most expensive */
		if (!index[x->activity]) {
			list[*n] = (struct tape_cause){
			    .activity = x->activity, .flow = x->flow};
			index[x->activity] = ++*n;
		}
		add_delay(&list[index[x->activity] - 1], x);
	}
	if (list)
		tape_sort(list, *n, sizeof *list, order_causes);
	if (!index) {
		free(list);
		list = NULL;
	}
	free(index);
	return list;
}

int tape_late_ranks(const double *ns_by_flow, const struct tape_trace *t,
		    struct tape_late_ranks *r)
{
	size_t flows = tape_trace_flows(t);

	*r = (struct tape_late_ranks){.rank = calloc(flows + 1, sizeof(int))};
	if (!r->rank)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < flows; i++)
		if (ns_by_flow[i] > r->most_ns)
			r->most_ns = ns_by_flow[i];
	for (size_t i = 0; i < flows; i++) {
		int rank = tape_trace_flow(t, i)->rank;

		/* flows of one rank follow one another */
		if (ns_by_flow[i] > 0 && ns_by_flow[i] >= r->most_ns / 20 &&
		    (!r->n || r->rank[r->n - 1] != rank))
			r->rank[r->n++] = rank;
	}
	return 0;
}

int tape_cause_ranks(const struct tape_delays *d, const struct tape_cause *c,
		     const struct tape_trace *t, struct tape_late_ranks *r)
{
	double *ns = calloc(tape_trace_flows(t) + 1, sizeof *ns);
	int rc;

	*r = (struct tape_late_ranks){0};
	if (!ns)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < d->n; i++)
		if (d->delay[i].activity == c->activity)
			ns[d->delay[i].flow] += delay_ns(&d->delay[i]);
	rc = tape_late_ranks(ns, t, r);
	free(ns);
	return rc;
}

const char *tape_cause_text(const struct tape_places *p, uint32_t activity,
			    char *text, size_t size)
{
	const struct tape_activity *a = tape_place_get(p, activity);
	char name[TAPE_PLACE_BYTES];

	tape_activity_text(p, activity, name, sizeof name);
	snprintf(text, size, "%s %s",
		 a->kind != TAPE_ACTIVITY_COMPUTES ? "in"
		 : a->region			   ? "computing in"
		 : a->after			   ? "computing"
						   : "computing at",
		 name);
	return text;
}

uint32_t tape_cause_waiting_call(const struct tape_delays *d,
				 uint32_t activity)
{
	uint32_t call = 0, best = 0;
	double ns = 0, most = 0;

	for (size_t i = 0; i < d->n_blames; i++) { /* in the order of calls */
		const struct tape_blame *b = &d->blame[i];

		if (b->call != call)
			ns = 0;
		call = b->call;
		if (b->activity == activity)
			ns += b->ns;
		if (ns > most) {
			most = ns;
			best = call;
		}
	}
	return best;
}
