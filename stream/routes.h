/*
 * Which analyser takes the trace of which process; both ends find out for
 * themselves.
 */
#ifndef TAPE_ROUTES_H
#define TAPE_ROUTES_H

#include "partitions.h"

/*
 * Of each rank of the job that of its analyser; -1: it is an analyser, or there
 * is none. Programs are dealt to the partitions that analyse, and processes to
 * the ranks of these. To be freed; NULL: out of memory.
 */
int *tape_routes(const struct tape_partitions *p);

#endif
