/*
 * The cost of recording an event in the program itself, from groups of blocks
 * of events: recorded and skipped ones. Tape's own, derived in
 * doc/perturbation.md, "Alpha: the cost of an event". Pure functions with a
 * fixed number of samples.
 *
 *	struct tape_in_situ s = { 0 };
 *
 *	for each group
 *		tape_in_situ_add(&s, tape_in_situ_cost(&g,
 *						       tape_in_situ_skip(&g)));
 *	if (tape_in_situ_fit(&s, &f))
 *		use f.cost, within 3 x f.error
 */
#ifndef TAPE_IN_SITU_FIT_H
#define TAPE_IN_SITU_FIT_H

#include <stdint.h>

/*
 * Blocks of a group: recorded (kept), skipped, and skipped with repeats. Times
 * from the beginning of the first event to that of the first event after the
 * block, in any unit.
 */
struct tape_in_situ_group {
	double kept, skipped, repeated;       /* times */
	double n_kept, n_skipped, n_repeated; /* events, more than 0 */
	double steps; /* skips in the third block: more than its events */
};

/*
 * The cost s of skipping an event. With w for the program's work between events
 * and c for the cost of recording, the third block takes n w + (steps - 1) s +
 * c / 2, and the second n w + (n - 1) s + c / 2: the record of the event that
 * begins the block ends within it, and the last skip is after the block.
 */
double tape_in_situ_skip(const struct tape_in_situ_group *g);

/*
 * The cost c of a recorded event if skipping takes skip. A recorded block takes
 * n (w + c).
 */
double tape_in_situ_cost(const struct tape_in_situ_group *g, double skip);

/*
 * A random sample of n values, each stored with the same probability (Vitter
 * 1985, algorithm R), with a fixed sequence of pseudo-random numbers.
 */
enum { TAPE_IN_SITU_SAMPLES = 512, TAPE_IN_SITU_LEAST = 16 };
struct tape_in_situ {
	uint64_t n, random;
	float sample[TAPE_IN_SITU_SAMPLES];
};

void tape_in_situ_add(struct tape_in_situ *s, double cost);

struct tape_in_situ_fit {
	double cost;  /* an event's, mean */
	double error; /* its standard error */
	uint64_t n;   /* groups */
};

/*
 * The mean without the tenth at each end, and its standard error from the
 * Winsorized variance (Tukey and McLaughlin 1963). A mean, since the total cost
 * is a sum; interrupted blocks are among the extremes. Returns 1, or 0 for
 * fewer than TAPE_IN_SITU_LEAST samples. Sorts the samples.
 */
int tape_in_situ_fit(struct tape_in_situ *s, struct tape_in_situ_fit *f);

#endif
