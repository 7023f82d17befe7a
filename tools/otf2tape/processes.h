/*
 * Maps processes, threads and communicators of an archive to ranks of a trace.
 */
#ifndef OTF2TAPE_WORLD_H
#define OTF2TAPE_WORLD_H

#include "defs.h"

/* A communicator as one rank sees it. */
struct member {
	uint32_t comm;     /* in the definitions */
	int32_t rank;	   /* the rank in its own group */
	int32_t size, own; /* sizes: of the peers' group; of its own group */
	int32_t side;	   /* number of its own group; -1: only one group */
};

struct world {
	const struct definitions *d;
	size_t ranks, flows;
	const struct location **flow; /* by rank, then thread */
	size_t *first_flow;           /* by rank, and the end */
	const struct process **process; /* by rank */
	struct member *members;       /* by rank */
	size_t *first_member;
	uint32_t world_comm;          /* MPI_COMM_WORLD, UINT32_MAX: none */
	size_t left_out;              /* locations that are no threads */
};

struct world *world_new(struct definitions *d, const char *path);
void world_free(struct world *w);

/* Returns the identity of a communicator, the same for all its members. */
uint64_t world_comm_id(const struct world *w, uint32_t comm, int rank);

#endif
