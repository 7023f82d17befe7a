/*
 * The wrappers of all calls: generated code around the hooks, with two doors
 * each, MPI_NAME for linked and preloaded programs and tape_MPI_NAME for
 * sources that tapepp rerouted.
 */
#include "hooks.h"
#include "onesided.h"
#include "special.h"
#include "tape.h"

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
 * the field probe has, stands for whatever was counted on the way; the time
 * after it follows when the record is stored, as a second note of the event.
 */
void tape_wrap_extras(struct tape_flow *f, uint64_t start, uint64_t entry)
{
	if (!(f->extras & TAPE_EXTRA_MEASURED))
		return;
	f->extra_before = start - entry - f->asked;
	f->asked = 0;
	f->extra_after = f->noted_after = 0;
	f->noted_sum += (double)f->extra_before;
}

void tape_wrap_end(struct tape_flow *f, uint64_t end)
{
	uint64_t spent, rest;

	if (f->extras & TAPE_EXTRA_COUNTERS)
		tape_counters_put(f);
	if (!(f->extras & TAPE_EXTRA_MEASURED) || !f->self)
		return;
	spent = tape_tick() - end;
	rest = spent > f->noted_after ? spent - f->noted_after : 0;
	f->noted_sum += (double)rest;
	if (f->poll_count) {
		f->poll_after += rest;
		return;
	}
	f->extra_after = rest;
	tape_buffer_alpha(f);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "tape_wrap.h"
#pragma GCC diagnostic pop

/* Level 0 switches tracing off, any other level on. */
TAPE_EXPORT int MPI_Pcontrol(const int level, ...)
{
	if (level)
		tape_on();
	else
		tape_off();
	return PMPI_Pcontrol(level);
}
