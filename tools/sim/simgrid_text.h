/*
 * Actions as the replayer of SimGrid reads them: the lines of doc/actions.md,
 * one for each action, where requests have numbers (tools/sim/replayer).
 */
#ifndef SIM_SIMGRID_TEXT_H
#define SIM_SIMGRID_TEXT_H

#include <stdio.h>

#include "action.h"

/* speed: computations have 1/speed of their operations. */
void sim_simgrid_write_line(FILE *f, int rank, const struct tape_action *a,
			    double speed);

#endif
