/*
 * The file rank.R of one rank: communicators when it is begun, call sites and
 * regions as its events need them.
 */
#ifndef OTF2TAPE_RANK_H
#define OTF2TAPE_RANK_H

#include <stdio.h>

#include "output.h"
#include "processes.h"

struct rank {
	const struct world *w;
	struct tape_output *out;
	int number;
	FILE *file;
	struct tape_table comms;   /* by number in OTF2: index */
	struct tape_table regions; /* by region.same: index */
	struct tape_table sites;   /* by place and call: index */
};

/* Where a call is made, as an archive knows it. */
struct place {
	uint64_t key; /* the same for the same place of an archive */
	const char *file, *function;
	int line;
};

void rank_begin(struct rank *r, const struct world *w, struct tape_output *out,
		int number, int domain);
void rank_end(struct rank *r);

/* What events call it: 0 for one that the rank is not in. */
uint32_t rank_comm(const struct rank *r, OTF2_CommRef comm);

uint32_t rank_region(struct rank *r, const struct region *region);
uint32_t rank_site(struct rank *r, unsigned call, const struct place *place);

#endif
