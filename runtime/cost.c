/* What the tracer's own work costs; see cost.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "alpha.h"
#include "blocks.h"
#include "buffer.h"
#include "cost.h"
#include "counters.h"
#include "tape.h"

int tape_cost_aside(struct tape_flow *f)
{
	unsigned char *room = mmap(NULL, TAPE_CHUNK_BYTES,
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
				   -1, 0);

	if (room == MAP_FAILED)
		return -1;
	memcpy(room, f->chunk, TAPE_CHUNK_HEADER);
	f->filed = f->chunk;
	f->filed_p = f->p;
	f->p = room + (f->p - f->chunk);
	f->chunk = room;
	f->limit = tape_chunk_limit(f);
	return 0;
}

void tape_cost_resume(struct tape_flow *f)
{
	enum tape_end end = f->end;

	if (!f->filed)
		return;
	munmap(f->chunk, TAPE_CHUNK_BYTES);
	f->chunk = f->filed;
	f->p = f->filed_p;
	f->filed = NULL;
	f->limit = !f->self		? NULL
		   : tape_process.blocks ? f->p
					 : tape_chunk_limit(f);
	f->poll_count = f->also_count = 0; /* of a loop that was left */
	if (!end)
		return;
	/* it ended meanwhile: that is to be in the file */
	f->end = TAPE_END_NONE;
	tape_buffer_end(f, end);
}

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
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

uint64_t tape_pairs_order(void)
{
	/* bits of the clock, spread (Steele and others 2014, splitmix64) */
	uint64_t x = tape_tick() * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 31;
}

float tape_pace(void)
{
	uint64_t t = tape_tick(), x = t;

	/* each step waits for the one before */
	for (int i = 0; i < 64; i++) {
		x = x * 3 + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return (float)(tape_tick() - t);
}

static void sort(float *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, ascending);
}

/*
 * The differences of the pairs at the speed that most had: how many. Within 6%
 * is one speed: what a processor changes at once is more, and the reading of
 * the clock is less.
 */
static int differences(const struct tape_pairs *p, float *d)
{
	float pace[TAPE_PAIRS], usual;
	int n = 0;

	memcpy(pace, p->pace, sizeof pace);
	sort(pace, TAPE_PAIRS);
	usual = pace[TAPE_PAIRS / 2];
	for (int k = 0; k < TAPE_PAIRS; k++)
		if (p->pace[k] > 0.94f * usual && p->pace[k] < 1.06f * usual)
			d[n++] = p->with[k] - p->noted[k] - p->without[k];
	if (n > TAPE_PAIRS / 3)
		return n;
	/* no speed is usual */
	for (int k = 0; k < TAPE_PAIRS; k++)
		d[k] = p->with[k] - p->noted[k] - p->without[k];
	return TAPE_PAIRS;
}

static double within(double v, double low, double high)
{
	return v < low ? low : v > high ? high : v;
}

struct tape_cost tape_cost_of(struct tape_pairs *p)
{
	float d[TAPE_PAIRS], without;
	int n = differences(p, d);
	struct tape_cost c;

	sort(d, n);
	sort(p->with, TAPE_PAIRS);
	sort(p->without, TAPE_PAIRS);
	sort(p->noted, TAPE_PAIRS);
	without = p->without[0] + p->noted[0];
	c.least = positive(p->with[0] - without) / TAPE_TIMES;
	c.slow = positive(p->with[TAPE_PAIRS - 2] - without) / TAPE_TIMES;
	c.usual = within((d[(n - 1) / 2] + d[n / 2]) / 2 / TAPE_TIMES,
			 c.least, c.slow);
	return c;
}

double tape_cost_counters(struct tape_flow *f)
{
	uint64_t best = UINT64_MAX;

	if (!f->counting.n)
		return 0;
	for (int k = 0; k < TAPE_PAIRS; k++)
		TAPE_LOOP(best, tape_counters_enter(f));
	return (double)best / TAPE_TIMES;
}

double tape_cost_reading(struct tape_flow *f)
{
	uint64_t best = UINT64_MAX;
	double counting = 0;

	for (int k = 0; k < TAPE_PAIRS; k++)
		TAPE_LOOP(best, (void)*(volatile uint64_t *)&(uint64_t){
				   tape_tick() });
	if (f->extras & TAPE_EXTRA_COUNTERS)
		counting = tape_cost_counters(f);
	return (double)best / TAPE_TIMES + counting;
}

static struct tape_cost half(struct tape_cost c)
{
	return (struct tape_cost){ c.least / 2, c.usual / 2, c.slow / 2 };
}

void tape_cost_marks(struct tape_flow *f)
{
	static const char name[] = "(calibration)";
	struct tape_region *r =
		&f->region_cache[(uintptr_t)name / 4 % TAPE_REGION_CACHE];
	double counting, reading;
	struct tape_cost both, skip;

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
	r->skips = name;
	TAPE_MEASURE(skip, , (tape_enter(name), tape_leave()), , ,
		     tape_blocks_rehearse(f, 0, traced_));
	tape_blocks_rehearse(f, 0, 0);
	r->name = r->skips = NULL;
	f->depth = 0;
	both = half(both);
	tape_alpha_mark("enter", both, counting, reading);
	tape_alpha_mark("leave", both, counting, reading);
	tape_alpha_skip("skip", half(skip));
}
