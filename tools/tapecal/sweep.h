/* What SimGrid's SMPI has to know of one distance, measured. */
#ifndef TAPECAL_SWEEP_H
#define TAPECAL_SWEEP_H

#include "measure.h"
#include "smpi_fit.h"

/* 0 to 3 bytes, four sizes in each power of two, and beside each jump. */
#define SWEEP_SIZES 128
#define SWEEP_JUMPS 12

enum sweep_kind {
	SWEEP_WHOLE, /* half a round trip */
	SWEEP_ISEND, /* calls */
	SWEEP_EXCHANGE,
	SWEEP_SEND,  /* this and the next one up to the limit only */
	SWEEP_RECEIVE,
	SWEEP_KINDS
};

struct sweep {
	double start_ns;
	int64_t limit_bytes;
	int n;
	int64_t bytes[SWEEP_SIZES];
	struct times of[SWEEP_KINDS][SWEEP_SIZES];
	/* the first sizes behind jumps of the time, found by bisection */
	int jumps;
	double jump[SWEEP_JUMPS];
};

/* Called by both processes of the link; the first one has the results. */
void sweep_measure(const struct link *l, struct sweep *s);

/*
 * As the model wants them, in size, which points into s: how many there are.
 * Those that were disturbed all the time are left out: larger ones took less.
 */
int sweep_sizes(const struct sweep *s, struct tape_smpi_size *size);

#endif
