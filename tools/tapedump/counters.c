/* What the counters counted: in and outside of calls, by call and region. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "escape.h"
#include "growing_array.h"
#include "tool.h"

/* Of one counter: in calls, outside of them, and while tracing was off. */
struct sums {
	int64_t inside, outside, off;
};

struct region {
	const char *name;
	struct sums s;
};

struct counter {
	const struct tape_counter_info *info; /* of the first with it */
	struct sums all, call[TAPE_CALL_COUNT];
	struct region *regions;
	size_t n_regions;
};

struct dump_counters {
	struct tape_trace *t;
	struct counter *counters;
	uint32_t n;
	/* the flow in progress: its rank's counters in ours, open regions */
	uint32_t of_rank[TAPE_COUNTERS_MAX];
	const char **open;
	size_t n_open;
};

static uint32_t find_or_add_counter(struct dump_counters *d,
				    const struct tape_counter_info *info)
{
	struct counter *c;

	for (uint32_t k = 0; k < d->n; k++)
		if (!strcmp(d->counters[k].info->name, info->name))
			return k;
	c = tape_must(realloc(d->counters, (d->n + 1) * sizeof *c));
	d->counters = c;
	c += d->n;
	memset(c, 0, sizeof *c);
	c->info = info;
	return d->n++;
}

struct dump_counters *dump_counters_new(struct tape_trace *t)
{
	struct dump_counters *d = tape_must(calloc(1, sizeof *d));

	d->t = t;
	return d;
}

void dump_counters_flow(struct dump_counters *d, int rank)
{
	const struct tape_rank_info *r = tape_trace_rank(d->t, rank);

	for (uint32_t k = 0; k < r->n_counters; k++)
		d->of_rank[k] = find_or_add_counter(d, &r->counters[k]);
	d->n_open = 0;
}

/* ---- regions ---- */

static void open_region(struct dump_counters *d, const char *name)
{
	d->open =
	    tape_must(tape_grow_list(d->open, d->n_open, sizeof *d->open));
	d->open[d->n_open++] = name;
}

static struct sums *region_sums(struct counter *c, const char *name)
{
	struct region *r;

	for (size_t i = 0; i < c->n_regions; i++)
		if (!strcmp(c->regions[i].name, name))
			return &c->regions[i].s;
	r = tape_must(realloc(c->regions, (c->n_regions + 1) * sizeof *r));
	c->regions = r;
	r += c->n_regions++;
	*r = (struct region){ .name = name };
	return &r->s;
}

/* A region within itself counts once. */
static int open_before(const struct dump_counters *d, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(d->open[k], d->open[i]))
			return 1;
	return 0;
}

/* ---- sums ---- */

/* Wraps only where a hostile file has made nonsense of the counts. */
static void add_wrapping(int64_t *sum, int64_t v)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)v);
}

/* own: what the readings counted; it cannot have been more than there is. */
static void add_count(struct sums *s, const struct tape_event *e,
		      const struct tape_count *n, int64_t own)
{
	if (own > 0 && n->inside > 0)
		add_wrapping(&s->inside, n->inside > own ? n->inside - own : 0);
	else
		add_wrapping(&s->inside, n->inside);
	add_wrapping(e->class_ == TAPE_CLASS_ON ? &s->off : &s->outside,
		     n->before);
}

void dump_counters_add(struct dump_counters *d, const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(d->t, e->rank);
	int region = e->class_ == TAPE_CLASS_ENTER ||
		     e->class_ == TAPE_CLASS_LEAVE;

	for (uint32_t k = 0; k < e->n_counts; k++) {
		struct counter *c = &d->counters[d->of_rank[k]];
		const struct tape_count *n = &e->counts[k];
		/* each call of a run was read around */
		int64_t own = e->call ? (int64_t)(e->polls + e->also_polls)
				      : 0;

		if (__builtin_mul_overflow(own, r->counters[k].own, &own))
			own = 0;
		add_count(&c->all, e, n, own);
		add_count(&c->call[e->call], e, n, own);
		for (size_t i = 0; i < d->n_open; i++)
			if (!open_before(d, i))
				add_count(region_sums(c, d->open[i]), e, n,
					  own);
	}
	if (region && e->class_ == TAPE_CLASS_ENTER)
		open_region(d, r->regions[e->region]);
	else if (region && d->n_open)
		d->n_open--;
}

/* ---- output ---- */

static void print_sums(const char *word, const char *name,
		       const struct sums *s, int regions)
{
	int64_t sum = s->inside;
	char text[512];

	add_wrapping(&sum, s->outside);
	printf("%s%-*s", word, (int)(26 - strlen(word)),
	       tape_clean(name, text, sizeof text));
	if (regions)
		printf(" %18s %18" PRId64 "\n", "", sum);
	else
		printf(" %18" PRId64 " %18" PRId64 "\n", s->inside, s->outside);
}

static void print_counter(const struct counter *c)
{
	int regions = c->info->at_regions;
	char title[64], text[260];

	snprintf(title, sizeof title, "%.40s, %.20s", c->info->name,
		 c->info->unit);
	printf("\n%-26s %18s %18s\n",
	       tape_clean(title, text, sizeof text), regions ? "" : "in calls",
	       regions ? "in all" : "outside");
	print_sums("", "all", &c->all, regions);
	for (unsigned i = 1; !regions && i < TAPE_CALL_COUNT; i++)
		if (c->call[i].inside)
			printf("%-26s %18" PRId64 "\n", tape_call_name(i),
			       c->call[i].inside);
	for (size_t i = 0; i < c->n_regions; i++)
		print_sums("region ", c->regions[i].name, &c->regions[i].s,
			   regions);
	if (c->all.off)
		printf("%-26s %18s %18" PRId64 "\n", "while switched off", "",
		       c->all.off);
}

void dump_counters_print(const struct dump_counters *d)
{
	for (uint32_t k = 0; k < d->n; k++)
		print_counter(&d->counters[k]);
}

void dump_counters_free(struct dump_counters *d)
{
	for (uint32_t k = 0; k < d->n; k++)
		free(d->counters[k].regions);
	free(d->counters);
	free(d->open);
	free(d);
}
