/*
 * Inside of coll_smpi_all.c and coll_smpi_parts.c. Members at a power of two
 * take part; an even one of the first pairs stands back, and the odd one behind
 * it stands for it.
 */
#ifndef TAPE_MODEL_COLL_SMPI_H
#define TAPE_MODEL_COLL_SMPI_H

#include "coll_program.h"

struct tape_coll_core {
	int size, extra;
};

struct tape_coll_core tape_coll_core(const struct play *p);

/* The number of a member in the core, -1: it stands back; and the inverse. */
int tape_coll_core_index(const struct tape_coll_core *k, int v);
int tape_coll_core_member(const struct tape_coll_core *k, int i);

/* Who stands back gives what it has; or gets it, afterwards. */
void tape_coll_fold(struct play *p, const struct tape_coll_core *k, int v,
		    int after, uint64_t bytes);

/* A member's part of a sum, in bytes. */
uint64_t tape_coll_part(const struct play *p, int v);

#endif
