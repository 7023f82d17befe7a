/* The distances of all processes from process 0. */
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
 * Collective over MPI_COMM_WORLD. Distances follow from the positions of
 * processes: switches from the file that TAPE_NETWORK names, hardware of a host
 * from hwloc. Ends the job with a message if that file or TAPE_BINDING is
 * invalid.
 */
void peers_find(struct peers *x);

#endif
