/*
 * Which events cost something else where they stand than the constant of their
 * class: from groups of blocks in the flows (model/in_situ_fit.h), in a pass
 * over the trace. The reader takes their alphas from there afterwards.
 */
#ifndef CORRECT_IN_SITU_H
#define CORRECT_IN_SITU_H

#include <stddef.h>

#include "in_situ_fit.h"
#include "tape_reader.h"

/* A place of which blocks were skipped: a region of a rank, or a call site. */
struct in_situ_place {
	int rank;
	uint32_t region, site; /* one of them; the other is 0 */
	double constant_ns;    /* of one event, by calibration */
	struct tape_in_situ_fit fit; /* ns; n is 0 where there are too few */
	uint64_t events;       /* recorded */
	uint64_t skipped;      /* in blocks */
	int used;              /* instead of the constant */
};

struct in_situ {
	struct in_situ_place *place;
	size_t n;
	double most_ns; /* of all ranks the largest sum of their errors */
};

/*
 * Reads the trace, and sets the costs of places whose fit is known better than
 * by how much it differs from the constant: twice its standard error. Their
 * interval is that of the constant, and at the least three standard errors; and
 * where no block told what skipping an event takes, from nothing to the most
 * that it does by itself. Dies when out of memory. A flow is read as far as it
 * can be: whoever reads it next says so.
 */
void in_situ_learn(struct tape_trace *t, struct in_situ *all);
void in_situ_free(struct in_situ *all);

#endif
