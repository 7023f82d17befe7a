/*
 * Broadcasts and reductions from and to rank 0 by the algorithms of Open MPI
 * (coll/tuned, 2 to 4), by their definition, out of messages. Segments are of
 * that many bytes, 0: the whole message is one.
 */
#ifndef TAPE_BENCH_HIERARCHY_H
#define TAPE_BENCH_HIERARCHY_H

#include <mpi.h>

enum { ALGORITHMS = 6 };

extern const char *const bcast_names[ALGORITHMS];
extern const char *const reduce_names[ALGORITHMS];

void bcast_by(int algorithm, double *buffer, int n, int segment, MPI_Comm comm);

/* The sum in to at rank 0; others may use theirs. from may be to. */
void reduce_by(int algorithm, const double *from, double *to, int n,
	       int segment, MPI_Comm comm);

#endif
