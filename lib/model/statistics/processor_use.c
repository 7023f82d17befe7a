/* What a thread did between two readings; see processor_use.h. */
#include <math.h>

#include "processor_use.h"

/* Bounds of the time in each state in all of the window. */
static struct tape_processor_use
bound_window(const struct tape_processor_window *w)
{
	double off = fmax(0, w->ns - w->cpu_ns);
	struct tape_processor_use u = {{w->cpu_ns, 0, 0},
				       {w->cpu_ns, off, off}};

	if (!w->voluntary) {
		u.from_ns[TAPE_PROCESSOR_READY] = off;
		u.to_ns[TAPE_PROCESSOR_BLOCKED] = 0;
	} else if (!isnan(w->waited_ns)) {
		u.from_ns[TAPE_PROCESSOR_READY] = fmin(w->waited_ns, off);
		u.to_ns[TAPE_PROCESSOR_READY] = w->waited_ns;
		u.from_ns[TAPE_PROCESSOR_BLOCKED] = off - w->waited_ns;
		u.to_ns[TAPE_PROCESSOR_BLOCKED] = off - w->waited_ns;
	}
	return u;
}

struct tape_processor_use
tape_processor_use(const struct tape_processor_window *w, double part_ns)
{
	struct tape_processor_use u = bound_window(w);
	double rest = fmax(0, w->ns - part_ns) + w->error_ns;

	for (int i = 0; i < TAPE_PROCESSOR_STATES; i++) {
		u.from_ns[i] = fmax(0, fmin(part_ns, u.from_ns[i] - rest));
		u.to_ns[i] =
		    fmax(0, fmin(part_ns, u.to_ns[i] + w->error_ns));
	}
	return u;
}

/* The bounds are floats, so that a window is small: by so much each may err. */
static const double float_error = 1e-6;

struct tape_ready_window
tape_processor_ready_window(const struct tape_processor_window *w)
{
	struct tape_processor_use u;

	if (!w)
		return (struct tape_ready_window){INFINITY, 0, INFINITY};
	u = bound_window(w);
	return (struct tape_ready_window){
	    w->ns,
	    (float)fmax(0, (u.from_ns[TAPE_PROCESSOR_READY] - w->error_ns) *
			       (1 - float_error)),
	    (float)((u.to_ns[TAPE_PROCESSOR_READY] + w->error_ns) *
		    (1 + float_error))};
}

void tape_processor_add_ready(struct tape_ready *sum,
			      const struct tape_ready_window *w, double part_ns)
{
	double rest = fmax(0, w->ns - part_ns);

	sum->from_ns += fmax(0, fmin(part_ns, (double)w->from_ns - rest));
	sum->to_ns += fmin(part_ns, (double)w->to_ns);
}

void tape_processor_bound_delay(struct tape_ready *r, double delay_ns,
				const struct tape_ready *late,
				const struct tape_ready *other)
{
	r->from_ns = fmax(0, fmin(delay_ns, late->from_ns - other->to_ns));
	r->to_ns = fmax(0, fmin(delay_ns, late->to_ns - other->from_ns));
}
