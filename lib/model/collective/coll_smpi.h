/*
 * Internal to coll_smpi_all.c and coll_smpi_parts.c (SimGrid 3.32,
 * src/smpi/colls). A power of two of members, the core, takes part. The even
 * members of the first pairs are extra, and the odd one of each pair acts for
 * both.
 */
#ifndef TAPE_MODEL_COLL_SMPI_H
#define TAPE_MODEL_COLL_SMPI_H

#include "coll_program.h"

struct tape_coll_core {
	int size, extra;
};

struct tape_coll_core tape_coll_core(const struct play *p);

/* The number of a member in the core, or -1 for an extra one; the inverse. */
int tape_coll_core_index(const struct tape_coll_core *k, int v);
int tape_coll_core_member(const struct tape_coll_core *k, int i);

/* An extra member sends its data to its partner, or (after) receives it. */
void tape_coll_fold(struct play *p, const struct tape_coll_core *k, int v,
		    int after, uint64_t bytes);

/* A member's part of a sum, in bytes. */
uint64_t tape_coll_part(const struct play *p, int v);

#endif
