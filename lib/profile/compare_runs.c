/* Two runs compared with each other; see stat.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

/* A place of one or both runs, by its name. */
struct pair {
	char *name;
	double a_ns, b_ns, calls_a, calls_b;
	int region;
};

struct pairs {
	struct pair *list;
	size_t n, room;
};

static int by_pair_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->region != y->region ? x->region - y->region
				      : strcmp(x->name, y->name);
}

static void add_places(struct pairs *p, const struct stats *s, int second)
{
	char text[TAPE_PLACE_BYTES];

	for (uint32_t i = 0; i < s->n_places; i++) {
		const struct stats_place *q = &s->place[i];
		struct pair one = {0};
		enum tape_activity_kind kind =
		    tape_place_get(s->places, i)->kind;

		if (!q->calls && !q->counted)
			continue;
		tape_activity_text(s->places, i, text, sizeof text);
		one.name = tape_must(strdup(text));
		one.region = kind == TAPE_ACTIVITY_REGION;
		*(second ? &one.b_ns : &one.a_ns) =
		    one.region ? q->own_ns : q->total_ns;
		*(second ? &one.calls_b : &one.calls_a) =
		    (double)(q->calls + q->counted);
		p->list = tape_must(tape_grow_array(p->list, &p->room, p->n + 1,
						    sizeof *p->list));
		p->list[p->n++] = one;
	}
}

/* Lines of one name become one. */
static void merge_same_names(struct pairs *p)
{
	size_t n = 0;

	tape_sort(p->list, p->n, sizeof *p->list, by_pair_name);
	for (size_t i = 0; i < p->n; i++) {
		struct pair *q = &p->list[i];

		if (n && !by_pair_name(&p->list[n - 1], q)) {
			p->list[n - 1].a_ns += q->a_ns;
			p->list[n - 1].b_ns += q->b_ns;
			p->list[n - 1].calls_a += q->calls_a;
			p->list[n - 1].calls_b += q->calls_b;
			free(q->name);
		} else {
			p->list[n++] = *q;
		}
	}
	p->n = n;
}

static int by_difference(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double u = fabs(x->b_ns - x->a_ns), v = fabs(y->b_ns - y->a_ns);

	return u != v ? (u < v ? 1 : -1) : by_pair_name(a, b);
}

/* How far a corrected run's length may be from the true value, ns. */
static double run_uncertainty(const struct stats *s)
{
	const char *line = tape_trace_meta(s->t, "total", 0);
	double measured, without, from, to;

	if (!line || sscanf(line, "%lf %lf %lf %lf", &measured, &without, &from,
			    &to) != 4)
		return 0;
	return fmax(to - without, without - from);
}

static double total_computing(const struct stats *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->flows; i++)
		sum += stats_computing(s, i);
	return sum;
}

struct sheet *stat_compare(struct stats *a, struct stats *b, double least,
			   size_t *worse)
{
	static const char *const spare[] = {"calls before", "calls after",
					    "of all", NULL};
	struct sheet *h =
	    sheet_new("differences", "By call site and region, all ranks");
	double floor_ns = run_uncertainty(a) + run_uncertainty(b);
	double share = least * stats_all_lengths(a);
	struct pairs p = {0};

	add_places(&p, a, 0);
	add_places(&p, b, 1);
	merge_same_names(&p);
	p.list = tape_must(
	    tape_grow_array(p.list, &p.room, p.n + 1, sizeof *p.list));
	p.list[p.n++] = (struct pair){tape_must(strdup("computing, all of it")),
				      total_computing(a),
				      total_computing(b),
				      0,
				      0,
				      0};
	tape_sort(p.list, p.n, sizeof *p.list, by_difference);
	sheet_add_column(h, "before", SHEET_SECONDS);
	sheet_add_column(h, "after", SHEET_SECONDS);
	sheet_add_column(h, "difference", SHEET_SECONDS);
	sheet_add_column(h, "of all", SHEET_PERCENT);
	sheet_add_column(h, "calls before", SHEET_COUNT);
	sheet_add_column(h, "calls after", SHEET_COUNT);
	sheet_add_column(h, "verdict", SHEET_NAME);
	sheet_add_column(h, "where", SHEET_NAME);
	sheet_set_spare(h, spare);
	*worse = 0;
	for (size_t i = 0; i < p.n; i++) {
		struct pair *q = &p.list[i];
		double more = q->b_ns - q->a_ns;
		int told = fabs(more) > floor_ns && fabs(more) > share;

		sheet_put_number(h, q->a_ns);
		sheet_put_number(h, q->b_ns);
		sheet_put_number(h, more);
		sheet_put_number(h, stats_all_lengths(a) > 0
					? more / stats_all_lengths(a)
					: NAN);
		sheet_put_number(h, q->calls_a);
		sheet_put_number(h, q->calls_b);
		sheet_put_text(h, !told ? "" : more > 0 ? "slower" : "faster");
		sheet_put_text(h, q->name);
		*worse += told && more > 0;
		free(q->name);
	}
	free(p.list);
	return h;
}

void stat_print_compare(struct stats *a, struct stats *b, size_t worse, FILE *f)
{
	double x = (double)(a->to_ns - a->from_ns) / 1e9;
	double y = (double)(b->to_ns - b->from_ns) / 1e9;

	fprintf(f, "The run took %.6g s before and %.6g s after: %+.1f%%\n", x,
		y, x > 0 ? 100 * (y - x) / x : 0);
	if (a->incomplete || b->incomplete)
		fprintf(f, "INCOMPLETE: %s\n", a->incomplete ? a->why : b->why);
	if (tape_trace_base(a->t) != tape_trace_base(b->t))
		fprintf(f, "Warning: only one of the two traces is corrected "
			   "for tracing\n");
	if (worse)
		fprintf(f,
			"%zu %s slower than before by more than the "
			"uncertainty of the correction\n",
			worse, worse == 1 ? "call site or region is"
					  : "call sites or regions are");
	else
		fprintf(f, "No call site or region is slower than before\n");
}

void stat_compare_report(struct stats *a, struct stats *b, size_t worse)
{
	stat_print_compare(a, b, worse, stdout);
}
