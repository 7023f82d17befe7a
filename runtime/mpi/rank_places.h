/*
 * Where the ranks are: their clocks, their hosts, the switches above these,
 * and what each is bound to.
 */
#ifndef TAPE_RANK_PLACES_H
#define TAPE_RANK_PLACES_H

#include <mpi.h>

#include "position.h"
#include "tree.h"

enum { TAPE_PLACE_NAME = 192 };

struct tape_places {
	char *clocks, *hosts; /* TAPE_PLACE_NAME bytes for each rank */
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
int tape_places_find(struct tape_places *p, MPI_Comm comm);

/* Frees what is only needed at the start: all but domains and pairs. */
void tape_places_settle(struct tape_places *p);

#endif
