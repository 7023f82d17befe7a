/* Where the tracer's time lies in special cases; see flow.h. */
#include <math.h>

#include "flow.h"

/* Asking for a message takes two questions if it is not there. */
#define ASK_MOST 2

uint64_t tape_flow_probe_ticks(struct tape_flow *f, uint64_t probe)
{
	struct tape_event *e = f->e;
	int wait = e->class_ == TAPE_CLASS_WAIT;
	double most = wait && f->rank->ask_wait > 0 ? f->rank->ask_wait
						    : ASK_MOST * f->rank->ask;
	double early;
	size_t p = f->piece;
	int64_t start;

	if (wait && e->u.wait.n > 1)
		most *= e->u.wait.n;
	if (!(most > 0) || (double)probe <= most)
		return probe;
	/* the time of that reading: rates differ from the clock's own */
	early = rint((double)probe - most);
	if (early > (double)e->start_tick)
		return probe;
	/* clocks may have been steered while the rest of the event was read */
	if (f->t->follow)
		tape_follow_tick(f, e->start_tick);
	while (p && f->pieces[p].tick0 > e->start_tick - (uint64_t)early)
		p--;
	start = tape_piece_timestamp(&f->pieces[p],
				     e->start_tick - (uint64_t)early);
	if (start < f->end_ns_before || start > e->start_ns)
		return probe;
	e->inside_ns += e->start_ns - start;
	e->start_ns = start;
	return (uint64_t)most;
}

void tape_flow_set_alpha_within(struct tape_flow *f)
{
	struct tape_event *e = f->e;
	double calls = (double)e->polls + (double)e->also_polls;
	double before = 0, after = 0;

	if (!(calls > 1))
		return;
	if (e->class_ != TAPE_CLASS_PACK && !f->t->alpha_measured) {
		before = fmin((double)e->extra_before_ticks * f->tick_ns,
			      e->alpha_before_ns);
		after = fmin((double)e->extra_after_ticks * f->tick_ns,
			     e->alpha_after_ns);
	}
	e->within_before_ns = (e->alpha_before_ns - before) * (1 - 1 / calls);
	e->within_after_ns =
	    (e->alpha_after_ns - after) * (1 - 1 / calls) + after;
}

void tape_flow_add_alpha(struct tape_flow *f, uint64_t before, uint64_t after)
{
	struct tape_event *e = f->e;

	if (__builtin_add_overflow(e->extra_before_ticks, before,
				   &e->extra_before_ticks))
		e->extra_before_ticks = UINT64_MAX;
	if (__builtin_add_overflow(e->extra_after_ticks, after,
				   &e->extra_after_ticks))
		e->extra_after_ticks = UINT64_MAX;
	e->alpha_before_ns = fmin(e->alpha_before_ns +
				  (double)before * f->tick_ns, TAPE_NS_MAX);
	e->alpha_after_ns = fmin(e->alpha_after_ns +
				 (double)after * f->tick_ns, TAPE_NS_MAX);
}
