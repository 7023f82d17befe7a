/*
 * Who calibrates. On a host with more ranks than processors only as many do as
 * there are processors, while the others sleep, and give them their figures: it
 * is the same machine, and all of them at once would disturb each other.
 */
#ifndef TAPE_SHARE_CALIBRATION_H
#define TAPE_SHARE_CALIBRATION_H

#include <mpi.h>

#include "core.h"

/*
 * Defines the constants of this rank, measured here or by another; collective
 * among all of comm. f, this thread's flow, is NULL where the rank is not
 * traced. domains: the clock domain of each rank, the same for those of a host.
 */
void tape_share_calibration(struct tape_flow *f, MPI_Comm comm,
			    const int *domains);

#endif
