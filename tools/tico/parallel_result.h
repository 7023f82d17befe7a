/* What several processes of an MPI job have found, each of its ranks. */
#ifndef TICO_PARALLEL_RESULT_H
#define TICO_PARALLEL_RESULT_H

#include "engine.h"
#include "collect.h"
#include "record_volume.h"

/*
 * All: process 0 gets of the others what they know, and has the result of all
 * then, and the sums of v, if that is not NULL. Dies when out of memory.
 */
void parallel_collect(struct tape_peers *p, struct tape_trace *t,
		      struct result *r, struct volume *v);

/* Process 0: says what they gave each other, measured and modelled. */
void parallel_print_volume(const struct tape_peers *p,
			   const struct tape_trace *t, const struct result *r,
			   const struct volume *v);

#endif
