/*
 * Where the ranks are: their clocks, their hosts, the switches above these,
 * and what each is bound to.
 */
#ifndef TAPE_RANK_LOCATIONS_H
#define TAPE_RANK_LOCATIONS_H

#include <mpi.h>

#include "position.h"
#include "sampling_tree.h"

enum { TAPE_LOCATION_NAME = 192 };

struct tape_locations {
	char *clocks, *hosts; /* TAPE_LOCATION_NAME bytes for each rank */
	char *switches;	      /* what above points into; NULL: none */
	const char **above;   /* the position of each rank's switches */
	int *domains;	      /* of each rank: the number of its clock */
	int n_domains;
	int *here;			  /* room for the ranks of this host */
	struct tape_pair *pairs;	  /* which clocks sample each other */
	char position[TAPE_POSITION_MAX]; /* of this rank */
};

/*
 * Finds all that out; collective on comm. The domain of the reference's clock
 * is 0. A file of switches that cannot be used costs a line on standard error.
 * Returns 1, or 0 where memory is short on any rank: then p is empty.
 */
int tape_locations_find(struct tape_locations *p, MPI_Comm comm);

/* Frees what is only needed at the start: all but domains and pairs. */
void tape_locations_trim(struct tape_locations *p);

#endif
