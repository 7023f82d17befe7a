/* What the tracer's own work costs; see cost.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "alpha.h"
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
	f->limit = f->self ? tape_chunk_limit(f) : NULL;
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

void tape_cost_marks(struct tape_flow *f)
{
	static const char name[] = "(calibration)";
	struct tape_region *r =
		&f->region_cache[(uintptr_t)name / 4 % TAPE_REGION_CACHE];
	double counting, reading;
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
	/* the half of two */
	both.least /= 2;
	both.slow /= 2;
	tape_alpha_mark("enter", both, counting, reading);
	tape_alpha_mark("leave", both, counting, reading);
}
