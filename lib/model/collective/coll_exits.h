/*
 * When each member leaves a collective operation, by the messages of its
 * algorithm (coll.h has the model and an example).
 */
#ifndef TAPE_MODEL_COLL_EXITS_H
#define TAPE_MODEL_COLL_EXITS_H

#include "coll.h"
#include "coll_program.h"

/*
 * Computes when each member leaves from the times of entry. entry and exit have
 * c->size elements and may be the same array. Returns 0, TAPE_ENOMEM, or 1 if
 * there are more messages than tape_coll_max_messages(size); exit is then
 * unchanged.
 */
int tape_coll_exits(const struct tape_collective *c, enum tape_coll_way way,
		    uint64_t segment, const struct tape_coll_cost *cost,
		    const double *entry, double *exit);

/* As tape_coll_exits, for an existing program. */
int tape_coll_program_exits(const struct tape_coll_program *program,
			    const struct tape_coll_cost *cost,
			    const double *entry, double *exit);

#endif
