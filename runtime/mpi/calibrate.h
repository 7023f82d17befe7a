/*
 * The constant part of alpha, by class: measured at start with the wrappers
 * themselves, on MPI_COMM_SELF.
 */
#ifndef TAPE_CALIBRATE_H
#define TAPE_CALIBRATE_H

#include "core.h"

/*
 * Runs each class's wrapper and its bare call in turn (cost.h); what the former
 * takes more is the alpha of an event, less what the records themselves noted
 * as varying. Records go to the flow and are taken back. Defines one line
 * "alpha" a class.
 */
void tape_calibrate(struct tape_flow *f);

#endif
