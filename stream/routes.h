/*
 * Assigns the traced processes to the analysers that receive their traces. Each
 * process computes the same assignment.
 */
#ifndef TAPE_ROUTES_H
#define TAPE_ROUTES_H

#include "partitions.h"

/*
 * Returns for each rank of the job the rank of its analyser; -1 if the rank is
 * an analyser or the job has none. Programs are distributed over the analysing
 * partitions, and their processes over the ranks of these partitions. The
 * caller frees the result; NULL: out of memory.
 */
int *tape_routes(const struct tape_partitions *p);

#endif
