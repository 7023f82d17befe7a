/*
 * Writes the file rank.R: communicators at first, call sites and regions when
 * an event needs them.
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

/* A call site of an archive. */
struct place {
	uint64_t key; /* unique in the archive */
	const char *file, *function;
	int line;
};

void rank_begin(struct rank *r, const struct world *w, struct tape_output *out,
		int number, int domain);
void rank_end(struct rank *r);

/* Return the number of a communicator, region, call site in the trace of the
 * rank. rank_comm returns 0 if the rank is not in the communicator. */
uint32_t rank_comm(const struct rank *r, OTF2_CommRef comm);

uint32_t rank_region(struct rank *r, const struct region *region);
uint32_t rank_site(struct rank *r, unsigned call, const struct place *place);

#endif
