/*
 * What was counted, by region: by the program between its calls, and by the
 * library within them; and how much of it a second of computing. Of a counter
 * of operations that is the rate of the processor in that region (Desprez,
 * Markomanolis, Quinson and Suter 2010, section 5).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "tool.h"

/* Of one region: its computing, and what was counted. */
struct counted {
	double ns;
	struct {
		double outside, inside;
	} of[TAPE_COUNTERS_MAX];
};

struct counters {
	struct stats *s;
	const char *name[TAPE_COUNTERS_MAX], *unit[TAPE_COUNTERS_MAX];
	int n;
	struct counted *region; /* by place; 0: in none */
};

/* One flow, as it is read. */
struct reading {
	const struct tape_rank_info *rank;
	int of[TAPE_COUNTERS_MAX]; /* the number here of a counter of its own */
	uint32_t *open;            /* places of regions, the innermost last */
	size_t n, room;
	int64_t end_ns;            /* of the last event */
	double alpha_ns;           /* behind that; of it constants */
	double constant_ns;
	int begun;                 /* there was one, and tracing is on */
};

/* The number of a counter here; -1: there are too many. */
static int number_of(struct counters *c, const struct tape_counter_info *info)
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

static void enter(struct counters *c, struct reading *r, uint32_t region)
{
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 16;
		r->open = tape_must(
			realloc(r->open, r->room * sizeof *r->open));
	}
	r->open[r->n++] =
		tape_place_of_region(c->s->places, r->rank->rank, region);
}

/* The innermost of that name ends, and what is open within. */
static void leave(struct counters *c, struct reading *r, uint32_t region)
{
	uint32_t place =
		tape_place_of_region(c->s->places, r->rank->rank, region);
	size_t i = r->n;

	while (i && r->open[i - 1] != place)
		i--;
	if (i)
		r->n = i - 1;
}

/* The processor's time outside of calls has the tracer's in it: tracing_ns. */
static void count(const struct reading *r, const struct tape_event *e,
		  double tracing_ns, struct counted *p)
{
	for (uint32_t i = 0; i < e->n_counts; i++) {
		const struct tape_counter_info *c = &r->rank->counters[i];
		double own = (double)c->own * (double)e->polls;
		double outside = (double)e->counts[i].before;

		if (r->of[i] < 0)
			continue;
		if (!strcmp(c->unit, "ns"))
			outside = fmax(0, outside - tracing_ns);
		p->of[r->of[i]].outside += outside;
		if (e->call)
			p->of[r->of[i]].inside +=
				fmax(0, (double)e->counts[i].inside - own);
	}
}

static void event(struct counters *c, struct reading *r,
		  const struct tape_event *e)
{
	struct counted *p = &c->region[r->n ? r->open[r->n - 1] : 0];
	double before, after;

	tape_event_constants(c->s->t, e, &before, &after);
	if (r->begun) {
		p->ns += fmax(0, (double)(e->start_ns - r->end_ns) -
					 r->alpha_ns -
					 tape_event_alpha_before(e));
		count(r, e, r->constant_ns + before, p);
	}
	r->begun = e->class_ != TAPE_CLASS_OFF;
	r->end_ns = e->end_ns;
	r->alpha_ns = tape_event_alpha_after(e);
	r->constant_ns = after;
	if (e->class_ == TAPE_CLASS_ENTER)
		enter(c, r, e->region);
	else if (e->class_ == TAPE_CLASS_LEAVE)
		leave(c, r, e->region);
}

static void flow(struct counters *c, size_t number)
{
	const struct tape_flow_info *info = tape_trace_flow(c->s->t, number);
	struct reading r = { .rank = tape_trace_rank(c->s->t, info->rank) };
	const struct tape_event *e;
	struct tape_flow *f;

	for (uint32_t i = 0; i < r.rank->n_counters; i++)
		r.of[i] = number_of(c, &r.rank->counters[i]);
	if (tape_flow_open(c->s->t, number, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(c->s->t));
	/* damage was said before, and ends the flow here, too */
	while (tape_flow_next(f, &e) == 1)
		event(c, &r, e);
	tape_flow_close(f);
	free(r.open);
}

static void put(struct counters *c, struct sheet *h, uint32_t place)
{
	const struct counted *p = &c->region[place];
	char text[TAPE_PLACE_BYTES];

	for (int i = 0; i < c->n; i++) {
		double outside = p->of[i].outside;

		if (outside == 0 && p->of[i].inside == 0)
			continue;
		sheet_text(h, place ? tape_activity_text(c->s->places, place,
							 text, sizeof text)
				    : "in no region");
		sheet_text(h, c->name[i]);
		sheet_text(h, c->unit[i]);
		sheet_number(h, outside);
		sheet_number(h, p->of[i].inside);
		sheet_number(h, p->ns);
		sheet_number(h, p->ns > 0 ? outside * 1e9 / p->ns : NAN);
	}
}

struct sheet *stat_counters(struct stats *s)
{
	struct sheet *h = sheet_new("counters", "Counters, by region");
	size_t places = tape_places_count(s->places);
	struct counters c = { .s = s };

	c.region = tape_must(calloc(places + 1, sizeof *c.region));
	sheet_column(h, "region", SHEET_NAME);
	sheet_column(h, "counter", SHEET_NAME);
	sheet_column(h, "unit", SHEET_NAME);
	sheet_column(h, "computing", SHEET_COUNT);
	sheet_column(h, "in calls", SHEET_COUNT);
	sheet_column(h, "time computing", SHEET_SECONDS);
	sheet_column(h, "a second", SHEET_COUNT);
	for (size_t i = 0; i < s->flows; i++)
		flow(&c, i);
	for (uint32_t i = 0; c.n && i < places; i++)
		put(&c, h, i);
	free(c.region);
	return h;
}
