/* What SimGrid's SMPI has to know of one distance, measured. */
#ifndef TAPECAL_SWEEP_H
#define TAPECAL_SWEEP_H

#include "measure.h"
#include "smpi.h"

/* 0 to 3 bytes, four sizes in each power of two, and beside the limit. */
#define SWEEP_SIZES 96

struct sweep {
	int64_t limit_bytes;
	int n;
	int64_t bytes[SWEEP_SIZES];
	/* of the receive, only up to the limit */
	struct times whole[SWEEP_SIZES], send[SWEEP_SIZES];
	struct times isend[SWEEP_SIZES], receive[SWEEP_SIZES];
	struct times exchange[SWEEP_SIZES];
};

/* Called by both processes of the link; the first one has the results. */
void sweep_measure(const struct link *l, struct sweep *s);

/* As the model wants them: n of them, in size. It points into s. */
void sweep_sizes(const struct sweep *s, struct tape_smpi_size *size);

#endif
