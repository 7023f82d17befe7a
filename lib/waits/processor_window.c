/* The time between two marks; see processor_window.h. */
#include <math.h>

#include "processor_window.h"

/*
 * Clocks of the kernel and of timestamps differ by this share at most, and
 * timestamps are whole ns.
 */
#define CLOCK_ERROR 1e-4
#define STAMP_ERROR 1e3

int tape_processor_between(struct tape_processor_window *w,
			   const struct tape_processor *a,
			   const struct tape_processor *b)
{
	if (b->ns < a->ns || b->cpu < a->cpu || b->waited < a->waited ||
	    b->voluntary < a->voluntary || b->minor < a->minor ||
	    b->major < a->major || b->input < a->input || b->output < a->output)
		return 0;
	*w = (struct tape_processor_window){
	    .ns = (double)(b->ns - a->ns),
	    .cpu_ns = (double)(b->cpu - a->cpu),
	    .waited_ns = a->waited ? (double)(b->waited - a->waited) : NAN,
	    .voluntary = b->voluntary != a->voluntary,
	};
	w->error_ns = (double)a->reading + (double)b->reading +
		      CLOCK_ERROR * w->ns + STAMP_ERROR;
	return 1;
}
