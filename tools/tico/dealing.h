/* What several processes of an MPI job have found, each of its ranks. */
#ifndef TICO_DEALING_H
#define TICO_DEALING_H

#include "engine.h"
#include "giving.h"

/*
 * All: process 0 gets of the others what they know, and has the result of all
 * then. Dies when out of memory.
 */
void dealing_together(struct tape_peers *p, struct tape_trace *t,
		      struct result *r);

#endif
