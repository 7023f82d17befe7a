/* What the tracer's own work costs; see cost.h. */
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cost.h"
#include "tape.h"

struct tape_cost_mark tape_cost_save(const struct tape_flow *f)
{
	return (struct tape_cost_mark){ f->p, f->last, f->requests, f->events,
			      f->records };
}

void tape_cost_take_back(struct tape_flow *f, const struct tape_cost_mark *m)
{
	if (f->p > m->p)
		memset(m->p, 0, (size_t)(f->p - m->p));
	memset(f->chunk + TAPE_CHUNK_POLL, 0, 40);
	memset(f->chunk + TAPE_CHUNK_ALSO, 0, 16);
	f->p = m->p;
	f->limit = tape_chunk_limit(f);
	f->last = m->last;
	f->requests = m->requests;
	f->events = m->events;
	f->records = m->records;
	f->poll_count = f->also_count = 0;
	memset(f->counting.run, 0, sizeof f->counting.run);
	f->extra_before = f->extra_after = 0;
}

static double positive(double v)
{
	return v > 0 ? v : 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct tape_cost tape_cost_of(double with[TAPE_BATCHES], double without)
{
	qsort(with, TAPE_BATCHES, sizeof *with, ascending);
	return (struct tape_cost){
		positive(with[0] - without) / TAPE_TIMES,
		positive(with[TAPE_BATCHES - 2] - without) / TAPE_TIMES };
}

double tape_cost_counters(struct tape_flow *f)
{
	uint64_t best = UINT64_MAX;

	if (!f->counting.n)
		return 0;
	for (int k = 0; k < TAPE_BATCHES; k++)
		TAPE_LOOP(best, tape_counters_enter(f));
	return (double)best / TAPE_TIMES;
}

double tape_cost_reading(struct tape_flow *f)
{
	uint64_t best = UINT64_MAX;
	double counting = 0;

	for (int k = 0; k < TAPE_BATCHES; k++)
		TAPE_LOOP(best, (void)*(volatile uint64_t *)&(uint64_t){
				   tape_tick() });
	if (f->extras & TAPE_EXTRA_COUNTERS)
		counting = tape_cost_counters(f);
	return (double)best / TAPE_TIMES + counting;
}

void tape_cost_define_reading(double reading)
{
	tape_define("alpha reading %.1f 0\n", reading);
}

static void define(const char *class_, double before, double after,
		   double least, double most)
{
	tape_define("alpha %s %.1f %.1f %.1f %.1f\n", class_, before, after,
		    least, most);
}

void tape_cost_define(const char *class_, struct tape_cost cost, double reading)
{
	double before = cost.least < reading ? cost.least : reading;

	define(class_, before, cost.least - before,
	       positive(cost.least - 2 * reading), cost.slow);
}

void tape_cost_define_more(const char *name, struct tape_cost one,
			   struct tape_cost all, int n)
{
	double least = positive(all.least - one.least) / n;
	double slow = positive(all.slow - one.least) / n;

	define(name, 0, least, positive(all.least - one.slow) / n,
	       slow > least ? slow : least);
}

/*
 * A mark has one date: half of its cost lies on each side, but for the
 * counters, which are read ahead of it.
 */
void tape_cost_marks(struct tape_flow *f)
{
	static const char name[] = "(calibration)";
	struct tape_region *r =
		&f->region_cache[(uintptr_t)name / 4 % TAPE_REGION_CACHE];
	double counting, reading, t, slow;
	struct tape_cost both;

	if (!(tape_process.config.groups >> TAPE_GROUP_REGION & 1))
		return;
	counting = tape_cost_counters(f);
	r->name = name;
	strcpy(r->copy, name);
	r->id = 1;
	r->inside = TAPE_UNSAID;
	r->marked = 1;
	reading = tape_cost_reading(f);
	TAPE_MEASURE(both, , (tape_enter(name), tape_leave()), , , );
	r->name = NULL;
	f->depth = 0;
	t = positive(both.least / 4 - counting / 2);
	slow = both.slow / 2;
	/* the half of two; an event of one date reads the clock once */
	define("enter", t + counting, t, positive(both.least / 2 - reading),
	       slow);
	define("leave", t + counting, t, positive(both.least / 2 - reading),
	       slow);
}
