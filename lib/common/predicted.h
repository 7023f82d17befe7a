/* Traces whose times are those of a machine that was simulated. */
#ifndef TAPE_PREDICTED_H
#define TAPE_PREDICTED_H

#include "tape_reader.h"

/*
 * The machine of which tapesim has predicted the times of t, as its history
 * names it; NULL: they are of a real run. Valid as long as t.
 */
const char *tape_predicted(const struct tape_trace *t);

#endif
