/* Causes and waits without waiting for a processor; see answer_state.h. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "answer_state.h"
#include "outside_time.h"
#include "processor_waits.h"
#include "sort.h"
#include "tool.h"

enum { CAUSES_SAID = 3, SITES_SAID = 2 };

/* What remains of a cause or of the waiting at a call site. */
struct rest {
	size_t index;
	struct tape_ready ns;
};

static int order_rests(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->ns.from_ns != y->ns.from_ns)
		return x->ns.from_ns < y->ns.from_ns ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The ranks of which most remains; the caller frees the list. */
static struct tape_late_ranks find_ranks(const struct answer *a,
					 const struct tape_cause *c)
{
	const struct tape_delays *d = &a->s->delays;
	double *ns = tape_must(calloc(a->s->flows + 1, sizeof *ns));
	struct tape_late_ranks r;

	for (size_t i = 0; i < d->n; i++)
		if (d->delay[i].activity == c->activity)
			ns[d->delay[i].flow] +=
			    stats_without_ready(d->delay[i].direct_ns +
						    d->delay[i].spread_ns,
						&d->delay[i].ready)
				.from_ns;
	if (tape_late_ranks(ns, a->s->t, &r))
		tape_die_no_memory();
	free(ns);
	return r;
}

static void print_cause(const struct answer *a, const struct rest *x, FILE *f)
{
	const struct tape_cause *c = &a->cause[x->index];
	struct tape_late_ranks r = find_ranks(a, c);
	char who[200], time[80], what[TAPE_PLACE_BYTES + 100];

	answer_ranks_text(&r, who, sizeof who);
	fprintf(f, "%s caused %s of the other waiting, %s\n", who,
		stats_bounds_text(&x->ns, time, sizeof time),
		stats_outside_text_without_ready(a->s, r.rank, r.n, c->activity,
						 what, sizeof what));
	free(r.rank);
}

static void print_site(const struct answer *a, const struct rest *x, FILE *f)
{
	struct site *k = &a->site[x->index];
	char who[200], time[80], what[TAPE_PLACE_BYTES];
	struct tape_late_ranks r;

	answer_sum_site_flows(a->s, k);
	if (tape_late_ranks(k->by_flow, a->s->t, &r))
		tape_die_no_memory();
	answer_ranks_text(&r, who, sizeof who);
	fprintf(f, "%s waited another %s in %s (%s)\n", who,
		stats_bounds_text(&x->ns, time, sizeof time),
		tape_activity_text(a->s->places, k->call, what, sizeof what),
		tape_wait_name((enum tape_wait_kind)k->kind));
	free(r.rank);
	free(k->by_flow);
	free(k->for_flow);
}

/* Returns how many of n rests are certainly worth a line, at most most. */
static size_t count_said(struct rest *list, size_t n, double least, size_t most)
{
	size_t said = 0;

	tape_sort(list, n, sizeof *list, order_rests);
	while (said < n && said < most && list[said].ns.from_ns >= least)
		said++;
	return said;
}

static void print_no_cause(const struct tape_ready *all, double least, FILE *f)
{
	char time[80];

	if (all->to_ns < least)
		fprintf(f, "No significant other waiting\n");
	else
		fprintf(f, "No cause is certain of the other waiting, %s\n",
			stats_bounds_text(all, time, sizeof time));
}

void answer_print_without_ready(const struct answer *a, FILE *f)
{
	struct tape_ready all =
	    stats_without_ready(a->waiting_ns, &a->s->ready);
	double least = ANSWER_LEAST_SHARE * a->all_ns;
	size_t most = a->causes > a->sites ? a->causes : a->sites, causes, n;
	struct rest *list = tape_must(calloc(most + 1, sizeof *list));

	for (size_t i = 0; i < a->causes; i++)
		list[i] = (struct rest){
		    i, stats_without_ready(a->cause[i].ns, &a->cause[i].ready)};
	causes = count_said(list, a->causes, fmax(least, 0.05 * all.to_ns),
			    CAUSES_SAID);
	for (size_t i = 0; i < causes; i++)
		print_cause(a, &list[i], f);
	for (size_t i = 0; i < a->sites; i++)
		list[i] = (struct rest){
		    i, stats_without_ready(a->site[i].ns, &a->site[i].ready)};
	n = count_said(list, a->sites, least, SITES_SAID);
	for (size_t i = 0; i < n; i++)
		print_site(a, &list[i], f);
	free(list);
	if (!causes)
		print_no_cause(&all, least, f);
}
