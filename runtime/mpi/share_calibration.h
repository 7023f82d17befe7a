/*
 * Distributes the calibration over the ranks of a host. If a host has more
 * ranks than processors, one rank per processor calibrates while the other
 * ranks sleep. The results are then copied to the sleeping ranks: the machine
 * is the same, and all ranks at once would disturb each other.
 */
#ifndef TAPE_SHARE_CALIBRATION_H
#define TAPE_SHARE_CALIBRATION_H

#include <mpi.h>

#include "core.h"

/*
 * Writes the calibrated costs of this rank, measured by this rank or another.
 * Collective over comm. f is this thread's flow, NULL if the rank is not
 * traced. domains has the clock domain of each rank; ranks of a host share a
 * domain.
 */
void tape_share_calibration(struct tape_flow *f, MPI_Comm comm,
			    const int *domains);

#endif
