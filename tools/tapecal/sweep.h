/* The measured times of one distance for SimGrid's SMPI. */
#ifndef TAPECAL_SWEEP_H
#define TAPECAL_SWEEP_H

#include "measure.h"
#include "smpi_fit.h"

/* 0 to 3 bytes, four sizes in each power of two, and sizes next to jumps. */
#define SWEEP_SIZES 128
#define SWEEP_JUMPS 12

enum sweep_kind {
	SWEEP_WHOLE, /* half a round trip */
	SWEEP_ISEND, /* calls */
	SWEEP_EXCHANGE,
	SWEEP_SEND,  /* this and SWEEP_RECEIVE up to the eager limit only */
	SWEEP_RECEIVE,
	SWEEP_KINDS
};

struct sweep {
	double start_ns;
	int64_t limit_bytes;
	int n;
	int64_t bytes[SWEEP_SIZES];
	struct times of[SWEEP_KINDS][SWEEP_SIZES];
	/* the first sizes after jumps of the time, found by bisection */
	int jumps;
	double jump[SWEEP_JUMPS];
};

/* Both processes of the link call it; the first one has the results. */
void sweep_measure(const struct link *l, struct sweep *s);

/*
 * Stores the sizes for tape_smpi_fit in size, which points into s. Leaves out
 * disturbed sizes: larger messages took less time. Returns their number.
 */
int sweep_sizes(const struct sweep *s, struct tape_smpi_size *size);

#endif
