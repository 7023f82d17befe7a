/*
 * Compares the ranks' calibrations at the start and at the end of a run.
 */
#ifndef TAPE_DRIFT_H
#define TAPE_DRIFT_H

#include <stddef.h>

#include "tape_reader.h"

/*
 * The rank whose constants differ most, with *d about it and in *others how
 * many others have such; -1 where all agree, or nobody calibrated twice.
 */
int tape_drift_worst(const struct tape_trace *t, struct tape_drift *d,
		     size_t *others);

/* The same in words, to follow "calibration". Returns 0 where there is none. */
int tape_drift_text(const struct tape_trace *t, char *text, size_t n);

#endif
