/* What the tracer's own work costs; see cost.h. */
#include <string.h>
#include <sys/mman.h>

#include "alpha.h"
#include "blocks.h"
#include "buffer.h"
#include "cost.h"
#include "counters.h"
#include "filter.h"
#include "own_stack.h"
#include "tape.h"

int tape_cost_begin_scratch(struct tape_flow *f)
{
	unsigned char *room;

	if (f->skip_left)
		tape_blocks_cut(f);
	room = mmap(NULL, TAPE_CHUNK_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (room == MAP_FAILED)
		return -1;
	memcpy(room, f->chunk, TAPE_CHUNK_HEADER);
	f->filed = f->chunk;
	f->filed_p = f->p;
	/* at the end of a run the other chunk may be almost full */
	f->p = room + TAPE_CHUNK_HEADER;
	f->chunk = room;
	f->limit = tape_chunk_limit(f);
	return 0;
}

void tape_cost_end_scratch(struct tape_flow *f)
{
	enum tape_end end = f->end;

	if (!f->filed)
		return;
	munmap(f->chunk, TAPE_CHUNK_BYTES);
	f->chunk = f->filed;
	f->p = f->filed_p;
	f->filed = NULL;
	f->limit = !f->self		? NULL
		   : tape_process.blocks || tape_process.config.max_rate
			   ? f->p
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

void tape_cost_rewind(struct tape_flow *f, const struct tape_cost_mark *m)
{
	if (f->p > m->p)
		memset(m->p, 0, (size_t)(f->p - m->p));
	memset(f->chunk + TAPE_CHUNK_POLL, 0, 40);
	memset(f->chunk + TAPE_CHUNK_ALSO, 0, 16);
	memset(f->chunk + TAPE_CHUNK_CALL, 0, TAPE_CALL_BYTES);
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

/* ---- again, at the end ---- */

_Static_assert(TAPE_CLASS_COUNT <= 64, "a bit for each class");

enum { AGAIN_NS = 2000000 };

int tape_cost_needs_classes(uint64_t classes)
{
	const struct tape_process *p = &tape_process;

	return !p->again_until ||
	       (classes & p->again && tape_raw_ns() < p->again_until);
}

static uint64_t used_classes(void)
{
	uint64_t classes = 0;

	for (const struct tape_flow *f = tape_process.flows; f; f = f->next)
		for (uint32_t i = 1; i <= tape_process.sites; i++)
			if (f->sites[i].seen)
				classes |= UINT64_C(1) << tape_filter_class(
						   tape_site_call(i));
	if (tape_process.regions)
		classes |= TAPE_CLASS_BIT(ENTER);
	return classes;
}

struct again {
	struct tape_flow *f;
	void (*calibrate)(struct tape_flow *);
};

static void calibrate_again(void *again)
{
	const struct again *a = again;
	struct tape_flow *f = a->f;

	if (f->poll_count)
		tape_buffer_end_run(f);
	if (f->end || tape_cost_begin_scratch(f))
		return;
	tape_process.again = used_classes();
	tape_process.again_until = tape_raw_ns() + AGAIN_NS;
	a->calibrate(f);
	tape_process.again_until = 0;
	tape_cost_end_scratch(f);
}

void tape_cost_recalibrate(struct tape_flow *f,
			   void (*calibrate)(struct tape_flow *))
{
	struct again a = { f, calibrate };
	uint64_t before, after;
	const void *frame;

	/* another thread may be in a call, although none should */
	if (!f || !f->self || f->end || f->broken ||
	    tape_process.state != TAPE_RUNNING ||
	    (tape_process.many_threads && tape_process.flows->next))
		return;
	before = f->extra_before;
	after = f->extra_after;
	frame = f->frame;
	tape_counters_pause(f);
	tape_run_on_own_stack(calibrate_again, &a);
	tape_counters_resume(f);
	f->frame = frame;
	f->extra_before = before;
	f->extra_after = after;
}

/* ---- measuring ---- */

void tape_cost_paces(void)
{
	float chain[TAPE_PAIRS], independent[TAPE_PAIRS];

	for (int k = 0; k < TAPE_PAIRS; k++) {
		chain[k] = tape_pace_chain();
		independent[k] = tape_pace_independent();
	}
	tape_alpha_pace(tape_pace_median(chain),
			tape_pace_median(independent));
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

static struct tape_cost halve_cost(struct tape_cost c)
{
	return (struct tape_cost){ c.least / 2, c.usual / 2, c.slow / 2,
				   c.low / 2, c.high / 2 };
}

/* Marks are measured on a stack that is large enough. */
TAPE_ON_OWN_STACK
void tape_cost_marks(struct tape_flow *f)
{
	static const char name[] = "(calibration)";
	struct tape_region *r =
		&f->region_cache[tape_region_slot(name)];
	const struct tape_region was = *r;
	const struct tape_open open = f->open[0];
	uint32_t depth = f->depth;
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
	f->depth = 0;
	TAPE_MEASURE(both, , (tape_enter(name), tape_leave()), , , );
	r->skips = name;
	TAPE_MEASURE(skip, , (tape_enter(name), tape_leave()), , ,
		     tape_blocks_rehearse(f, 0, traced_));
	tape_blocks_rehearse(f, 0, 0);
	*r = was;
	f->open[0] = open;
	f->depth = depth;
	both = halve_cost(both);
	tape_alpha_mark("enter", both, counting, reading);
	tape_alpha_mark("leave", both, counting, reading);
	tape_alpha_skip("skip", halve_cost(skip));
}
TAPE_ON_OWN_STACK_END
