/* Counters and measured alpha around a call; see around_call.h. */
#include "buffer.h"
#include "counters.h"
#include "around_call.h"
#include "noise.h"

void tape_wrap_start(struct tape_flow *f)
{
	uint64_t t0;

	if (!(f->extras & TAPE_EXTRA_COUNTERS))
		return;
	t0 = tape_tick();
	tape_counters_enter(f);
	f->reading = tape_tick() - t0;
}

void tape_wrap_stop(struct tape_flow *f)
{
	if (f->extras & TAPE_EXTRA_COUNTERS)
		tape_counters_leave(f);
}

/*
 * alpha = measured: the time from entry to the real call, all of it but what
 * the field probe has, stands for whatever was counted on the way. It is noted
 * with the time after it, when the record is stored.
 */
void tape_wrap_extras(struct tape_flow *f, uint64_t start, uint64_t entry)
{
	if (!(f->extras & TAPE_EXTRA_MEASURED))
		return;
	f->measured_before = start - entry - f->asked;
	f->asked = 0;
	f->extra_before = f->extra_after = f->noted_after = 0;
}

/* A measured alpha, of this event, contains the delay; else the next one's. */
static void delay_next_call(struct tape_flow *f, int class_)
{
	uint64_t tick = tape_tick();

	if (tape_noise_wait(f, class_) && !(f->extras & TAPE_EXTRA_MEASURED))
		f->extra_before += tape_tick() - tick;
}

void tape_wrap_end(struct tape_flow *f, uint64_t end, int class_)
{
	uint64_t spent, rest;

	if (f->extras & TAPE_EXTRA_NOISE)
		delay_next_call(f, class_);
	if (f->extras & TAPE_EXTRA_COUNTERS)
		tape_buffer_counts(f);
	if (!(f->extras & TAPE_EXTRA_MEASURED) || !f->self)
		return;
	spent = tape_tick() - end;
	rest = spent > f->noted_after ? spent - f->noted_after : 0;
	f->noted_sum += (double)(f->measured_before + rest);
	if (f->poll_count) {
		f->poll_before += f->measured_before;
		f->poll_after += rest;
		return;
	}
	f->extra_before += f->measured_before;
	f->extra_after = rest;
	tape_buffer_alpha(f);
}
