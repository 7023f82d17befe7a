/*
 * Writes actions for SimGrid's replayer: the lines of doc/actions.md, one per
 * action, with numbers of requests (tools/tapereplay).
 */
#ifndef SIM_SIMGRID_TEXT_H
#define SIM_SIMGRID_TEXT_H

#include <stdio.h>

#include "action.h"

/* speed: a factor, by which the operations of computations are divided. */
void sim_simgrid_write_line(FILE *f, int rank, const struct tape_action *a,
			    double speed);

#endif
