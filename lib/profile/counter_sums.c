/*
 * What was counted, by region: by the program between its calls, and by the
 * library within them; and how much of it a second of computing. Of a counter
 * of operations that is the rate of the processor in that region (Desprez,
 * Markomanolis, Quinson and Suter 2010, section 5).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counter_sums.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

/* ---- while the trace is read ---- */

/* The processor's time outside of calls has the tracer's in it: tracing_ns. */
static void add_counts(const struct tape_rank_info *r,
		       const struct tape_event *e, double tracing_ns,
		       struct stats_counted *p)
{
	for (uint32_t i = 0; i < e->n_counts; i++) {
		const struct tape_counter_info *c = &r->counters[i];
		double own = (double)c->own * (double)e->polls;
		double outside = (double)e->counts[i].before;

		if (!strcmp(c->unit, "ns"))
			outside = fmax(0, outside - tracing_ns);
		p->of[i].outside += outside;
		if (e->call)
			p->of[i].inside +=
			    fmax(0, (double)e->counts[i].inside - own);
	}
}

void stats_count_event(struct stats *s, struct stats_counting *c,
		       const struct tape_event *e, uint32_t region)
{
	double before, after;

	tape_event_constants(s->t, e, &before, &after);
	if (c->begun) {
		struct stats_counted *p =
		    stats_get_record(&s->counted, region, e->flow);

		p->ns += fmax(0, (double)(e->start_ns - c->end_ns) -
				     c->alpha_ns - tape_event_alpha_before(e));
		add_counts(tape_trace_rank(s->t, e->rank), e,
			   c->constant_ns + before, p);
	}
	c->begun = e->class_ != TAPE_CLASS_OFF;
	c->end_ns = e->end_ns;
	c->alpha_ns = tape_event_alpha_after(e);
	c->constant_ns = after;
}

/* ---- the table ---- */

/* Of a counter in a region, of all flows that have it. */
struct total {
	double outside, inside, ns;
};

struct counters {
	const struct stats *s;
	const char *name[TAPE_COUNTERS_MAX], *unit[TAPE_COUNTERS_MAX];
	int n;
	struct total (*region)[TAPE_COUNTERS_MAX]; /* by place; 0: in none */
};

/* The number of a counter here; -1: there are too many. */
static int counter_number(struct counters *c,
			  const struct tape_counter_info *info)
{
	for (int i = 0; i < c->n; i++)
		if (!strcmp(c->name[i], info->name))
			return i;
	if (c->n == TAPE_COUNTERS_MAX)
		return -1;
	c->name[c->n] = info->name;
	c->unit[c->n] = info->unit;
	return c->n++;
}

static void find_counters(struct counters *c)
{
	for (size_t i = 0; i < c->s->ranks; i++) {
		const struct tape_rank_info *r =
		    tape_trace_rank(c->s->t, (int)i);

		for (uint32_t k = 0; k < r->n_counters; k++)
			counter_number(c, &r->counters[k]);
	}
}

static void add_counted(struct counters *c, const struct stats_counted *one)
{
	const struct tape_rank_info *r =
	    tape_trace_rank(c->s->t, tape_trace_flow(c->s->t, one->flow)->rank);

	for (uint32_t k = 0; k < r->n_counters; k++) {
		int i = counter_number(c, &r->counters[k]);
		struct total *t;

		if (i < 0)
			continue;
		t = &c->region[one->place][i];
		t->outside += one->of[k].outside;
		t->inside += one->of[k].inside;
		t->ns += one->ns;
	}
}

static int by_flow(const void *a, const void *b)
{
	const struct stats_counted *x = *(struct stats_counted *const *)a;
	const struct stats_counted *y = *(struct stats_counted *const *)b;

	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Flows are added in their order, whoever has read them. */
static void add_all(struct counters *c)
{
	const struct stats_counted **list =
	    tape_must(calloc(c->s->counted.used + 1, sizeof *list));
	const struct stats_counted *p;
	size_t at = 0, n = 0;
	uint64_t key;

	while ((p = tape_table_each(&c->s->counted, &at, &key)))
		list[n++] = p;
	tape_sort(list, n, sizeof *list, by_flow);
	for (size_t i = 0; i < n; i++)
		add_counted(c, list[i]);
	free(list);
}

static void put_region(const struct counters *c, struct sheet *h,
		       uint32_t place)
{
	char text[TAPE_PLACE_BYTES];

	for (int i = 0; i < c->n; i++) {
		const struct total *t = &c->region[place][i];

		if (t->outside == 0 && t->inside == 0)
			continue;
		sheet_put_text(h, place
				      ? tape_activity_text(c->s->places, place,
							   text, sizeof text)
				      : "in no region");
		sheet_put_text(h, c->name[i]);
		sheet_put_text(h, c->unit[i]);
		sheet_put_number(h, t->outside);
		sheet_put_number(h, t->inside);
		sheet_put_number(h, t->ns);
		sheet_put_number(h, t->ns > 0 ? t->outside * 1e9 / t->ns : NAN);
	}
}

struct sheet *stat_counters(struct stats *s)
{
	struct sheet *h = sheet_new("counters", "Counters, by region");
	size_t places = tape_places_count(s->places);
	struct counters c = {.s = s};

	sheet_add_column(h, "region", SHEET_NAME);
	sheet_add_column(h, "counter", SHEET_NAME);
	sheet_add_column(h, "unit", SHEET_NAME);
	sheet_add_column(h, "computing", SHEET_COUNT);
	sheet_add_column(h, "in calls", SHEET_COUNT);
	sheet_add_column(h, "time computing", SHEET_SECONDS);
	sheet_add_column(h, "a second", SHEET_COUNT);
	if (!s->counted.used)
		return h;
	find_counters(&c);
	c.region = tape_must(calloc(places + 1, sizeof *c.region));
	add_all(&c);
	for (uint32_t i = 0; i < places; i++)
		put_region(&c, h, i);
	free(c.region);
	return h;
}
