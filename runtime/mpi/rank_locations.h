/*
 * The location of each rank: its clock, its host, the switches above the host,
 * and the objects that the rank is bound to.
 */
#ifndef TAPE_RANK_LOCATIONS_H
#define TAPE_RANK_LOCATIONS_H

#include <mpi.h>

#include "position.h"
#include "sampling_tree.h"

enum { TAPE_LOCATION_NAME = 192 };

struct tape_locations {
	char *clocks, *hosts; /* TAPE_LOCATION_NAME bytes for each rank */
	char *switches;	      /* memory that above points into; NULL: none */
	const char **above;   /* the position of each rank's switches */
	int *domains;	      /* the clock domain of each rank */
	int n_domains;
	int *here;			  /* room for the ranks of this host */
	struct tape_pair *pairs;	  /* which clocks sample each other */
	char position[TAPE_POSITION_MAX]; /* of this rank */
};

/*
 * Fills p. Collective over comm. The reference's clock is domain 0. If the file
 * of switches is unusable, one line on standard error reports it. Returns 1, or
 * 0 if memory is short on any rank: then p is empty.
 */
int tape_locations_find(struct tape_locations *p, MPI_Comm comm);

/* Frees all fields but domains and pairs, which are needed until the end. */
void tape_locations_trim(struct tape_locations *p);

#endif
