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
