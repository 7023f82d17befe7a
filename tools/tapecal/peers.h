/* Who is how far from process 0. */
#ifndef TAPECAL_PEERS_H
#define TAPECAL_PEERS_H

#include "distance.h"

struct peers {
	/* the first process at each distance from process 0; -1: none */
	int at[TAPE_DISTANCES];
	int shm, net; /* the same of all distances of that transport */
	int hosts;    /* of the job */
};

/*
 * Collective over MPI_COMM_WORLD. Distances are by the positions of processes:
 * switches as the file in the variable TAPE_NETWORK has them, what is inside a
 * host by hwloc. Ends the job with a sentence if that file is wrong, or
 * TAPE_BINDING is.
 */
void peers_find(struct peers *x);

#endif
