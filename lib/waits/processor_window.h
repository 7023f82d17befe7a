/* The time between two marks of the processor of a flow. */
#ifndef TAPE_PROCESSOR_WINDOW_H
#define TAPE_PROCESSOR_WINDOW_H

#include "processor_use.h"
#include "tape_reader.h"

/*
 * Sets *w to the differences of two marks, b after a, and to how wrong they may
 * be. Returns 1, or 0 if a count went back: nothing is known of that time.
 */
int tape_processor_between(struct tape_processor_window *w,
			   const struct tape_processor *a,
			   const struct tape_processor *b);

#endif
