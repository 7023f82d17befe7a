/*
 * What was counted, by region: by the program between its calls, and by the
 * library within them; and how much of it a second of computing. Of a counter
 * of operations that is the rate of the processor in that region (Desprez,
 * Markomanolis, Quinson and Suter 2010, section 5).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "stat.h"
#include "tool.h"

/* Of one region: its computing, and what was counted. */
struct counted {
	double ns;
	uint64_t seen;
	struct {
		double outside, inside;
	} of[TAPE_COUNTERS_MAX];
};

struct counters {
	struct stats *s;
	/* of one flow: regions, and which of them it was in */
	struct counted *flow;
	uint32_t *seen;
	size_t n_seen;
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

/* What the flow under way counts in a region. */
static struct counted *region(struct counters *c, uint32_t place)
{
	struct counted *p = &c->flow[place];

	if (!p->seen) {
		p->seen = 1;
		c->seen[c->n_seen++] = place;
	}
	return p;
}

static void event(struct counters *c, struct reading *r,
		  const struct tape_event *e)
{
	struct counted *p = region(c, r->n ? r->open[r->n - 1] : 0);
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

/* A flow is summed up by itself, then added to those before it. */
static void add(struct counters *c, uint32_t place, const struct counted *one)
{
	struct counted *p = &c->region[place];

	p->ns += one->ns;
	for (int i = 0; i < c->n; i++) {
		p->of[i].outside += one->of[i].outside;
		p->of[i].inside += one->of[i].inside;
	}
}

/* In a region of a flow, for process 0. */
struct record {
	uint32_t place, flow;
	struct counted counted;
};

/* What others have counted: flows are added in their order. */
struct records {
	struct record *list;
	size_t n, room;
};

static void flow_over(struct counters *c, size_t number)
{
	for (size_t i = 0; i < c->n_seen; i++) {
		struct record one = {c->seen[i], (uint32_t)number,
				     c->flow[c->seen[i]]};

		if (c->s->peers && c->s->peers->me)
			tape_peers_give(c->s->peers, STATS_COUNTED, &one,
					sizeof one);
		else
			add(c, one.place, &one.counted);
		c->flow[one.place] = (struct counted){0};
	}
	c->n_seen = 0;
}

static void take(void *own, int from, unsigned kind, const void *data,
		 size_t bytes)
{
	struct records *r = own;

	(void)from;
	(void)bytes;
	if (kind != STATS_COUNTED)
		return;
	if (r->n == r->room) {
		r->room = 2 * r->room + 64;
		r->list =
		    tape_must(realloc(r->list, r->room * sizeof *r->list));
	}
	memcpy(&r->list[r->n++], data, sizeof *r->list);
}

static int by_flow(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Those of others are behind own ones. */
static void take_all(struct counters *c)
{
	struct records r = {0};

	tape_peers_given(c->s->peers, take, &r);
	if (r.n)
		qsort(r.list, r.n, sizeof *r.list, by_flow);
	for (size_t i = 0; i < r.n; i++)
		add(c, r.list[i].place, &r.list[i].counted);
	free(r.list);
}

/* Own flows; nothing where nothing was counted. */
static void flows(struct counters *c)
{
	size_t places = tape_places_count(c->s->places);

	for (size_t i = 0; i < c->s->ranks; i++) {
		const struct tape_rank_info *r =
		    tape_trace_rank(c->s->t, (int)i);

		for (uint32_t k = 0; k < r->n_counters; k++)
			number_of(c, &r->counters[k]);
	}
	c->region = tape_must(calloc(places + 1, sizeof *c->region));
	c->flow = tape_must(calloc(places + 1, sizeof *c->flow));
	c->seen = tape_must(calloc(places + 1, sizeof *c->seen));
	for (size_t i = 0; c->n && i < c->s->flows; i++)
		if (tape_peers_mine(c->s->peers,
				    tape_trace_flow(c->s->t, i)->rank)) {
			flow(c, i);
			flow_over(c, i);
		}
	free(c->flow);
	free(c->seen);
}

void stats_serve_counters(struct stats *s)
{
	struct counters c = {.s = s};

	flows(&c);
	tape_peers_given(s->peers, NULL, NULL);
	free(c.region);
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

	sheet_column(h, "region", SHEET_NAME);
	sheet_column(h, "counter", SHEET_NAME);
	sheet_column(h, "unit", SHEET_NAME);
	sheet_column(h, "computing", SHEET_COUNT);
	sheet_column(h, "in calls", SHEET_COUNT);
	sheet_column(h, "time computing", SHEET_SECONDS);
	sheet_column(h, "a second", SHEET_COUNT);
	if (s->peers)
		stats_ask(s, STATS_COUNTERS, NULL, 0);
	flows(&c);
	if (s->peers)
		take_all(&c);
	for (uint32_t i = 0; c.n && i < places; i++)
		put(&c, h, i);
	free(c.region);
	return h;
}
