/* Marks of the processor; see processor_marks.h. */
#include <errno.h>
#include <string.h>

#include "buffer.h"
#include "counters.h"
#include "own_stack.h"
#include "processor.h"
#include "processor_marks.h"

/*
 * A long time; the age of a mark that is old; the ticks after which the rate of
 * the clock is asked for where it is not known yet. A call that begins with a
 * mark ends with one if it took this part of a long time: without that mark its
 * wait and the computing before it would be one piece, of which the kernel's
 * counts do not tell when the thread waited for a processor.
 */
enum {
	LONG_NS = 10000000,
	OLD_NS = 20000000,
	RATE_TICKS = 1 << 20,
	SHORT_PART = 10
};

struct mark {
	struct tape_flow *f;
	uint64_t tick;
};

static int is_recording(const struct tape_flow *f)
{
	return tape_process.state == TAPE_RUNNING && f->self && f->window &&
	       !f->end && !f->gap && !f->filed;
}

/* A call in progress is valid while its position is the end of the records. */
static void move_call(struct tape_flow *f, const unsigned char *call)
{
	unsigned char *place = f->chunk + TAPE_CHUNK_CALL;

	memcpy(place + 4, call + 4, TAPE_CALL_BYTES - 4);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	tape_put32(place + TAPE_CALL_POSITION, (uint32_t)(f->p - f->chunk));
}

static void put_mark(void *argument)
{
	const struct mark *m = argument;
	struct tape_flow *f = m->f;
	unsigned char call[TAPE_CALL_BYTES];
	struct tape_processor counts;
	int in_progress;

	tape_counters_pause(f);
	if (!tape_processor_read(&counts)) {
		memcpy(call, f->chunk + TAPE_CHUNK_CALL, sizeof call);
		in_progress = tape_get32(call + TAPE_CALL_POSITION) ==
			      (uint32_t)(f->p - f->chunk);
		tape_buffer_processor(f, m->tick, &counts);
		if (in_progress && is_recording(f))
			move_call(f, call);
		f->marked_tick = m->tick;
		f->marked_ns = counts.ns;
	}
	tape_counters_resume(f);
}

/*
 * The ticks of a long time, from those since the last mark. A thread that lost
 * its processor between the two readings of the mark has more ticks than ns: a
 * long time limits the error, and the next mark measures anew.
 */
static void measure_rate(struct tape_flow *f, uint64_t tick, uint64_t ns)
{
	uint64_t ticks = tick - f->marked_tick;

	if (f->marked_ns && ns > f->marked_ns &&
	    ns - f->marked_ns >= LONG_NS)
		f->long_ticks = (uint64_t)((double)ticks * LONG_NS /
					   (double)(ns - f->marked_ns));
}

static void schedule_mark(struct tape_flow *f, uint64_t tick)
{
	f->mark_due = tick + (f->long_ticks ? f->long_ticks : RATE_TICKS);
}

/* Returns 1 if a mark stands where the call begins that began at start. */
static int begins_with_mark(const struct tape_flow *f, uint64_t start)
{
	return start - f->marked_tick < f->long_ticks / SHORT_PART;
}

/* Is a mark due, before a call that begins at tick? */
static int is_due(const struct tape_flow *f, uint64_t tick, uint64_t ns)
{
	uint64_t last = f->poll_count ? f->poll_end : f->last;

	if (!f->marked_ns)
		return 1;
	if (f->long_ticks && tick > last && tick - last >= f->long_ticks)
		return 1;
	return !f->poll_count && ns - f->marked_ns >= OLD_NS;
}

/* A block of events is measured: nothing of ours may be in it. */
static int is_in_block(const struct tape_flow *f)
{
	return f->skip_left || f->blocks.phase == TAPE_BLOCKS_KEPT ||
	       f->blocks.phase == TAPE_BLOCKS_SKIPPED;
}

uint64_t tape_processor_begin(struct tape_flow *f, uint64_t tick)
{
	uint64_t ns = tape_raw_ns(), now;
	int e = errno;

	if (is_recording(f)) {
		measure_rate(f, tick, ns);
		if (!is_in_block(f) && is_due(f, tick, ns))
			tape_run_on_own_stack(put_mark,
					      &(struct mark){f, tick});
	}
	errno = e;
	schedule_mark(f, tick);
	if (f->long_ticks && f->marked_tick == tick)
		f->mark_due = tick + f->long_ticks / SHORT_PART;
	now = tape_tick();
	f->extra_before += now - tick;
	return now;
}

void tape_processor_end(struct tape_flow *f, uint64_t start, uint64_t end)
{
	uint64_t least = begins_with_mark(f, start) ? f->long_ticks / SHORT_PART
						    : f->long_ticks;

	/* where a record has more, this is yet to come */
	if (f->long_ticks && end - start >= least && !is_in_block(f) &&
	    !(f->extras & ~(uint32_t)TAPE_EXTRA_NOISE))
		tape_processor_mark(f);
}

void tape_processor_mark_at(struct tape_flow *f, uint64_t tick)
{
	int e = errno;

	if (is_recording(f))
		tape_run_on_own_stack(put_mark, &(struct mark){f, tick});
	errno = e;
	schedule_mark(f, tick);
}

void tape_processor_mark(struct tape_flow *f)
{
	uint64_t tick = tape_tick(), events = f->events;

	tape_processor_mark_at(f, tick);
	if (f->events == events || !is_recording(f))
		return;
	f->extra_after = tape_tick() - tick;
	tape_buffer_alpha(f);
}
