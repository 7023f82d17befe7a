/*
 * What an event costs where it stands, from pairs of blocks: one recorded, one
 * not. Pure; grows with nothing but a fixed number of samples.
 *
 *	struct tape_in_situ s = { 0 };
 *
 *	for each pair
 *		tape_in_situ_add(&s, tape_in_situ_cost(&pair));
 *	if (tape_in_situ_fit(&s, &f))
 *		use f.cost, within 3 x f.error
 */
#ifndef TAPE_IN_SITU_FIT_H
#define TAPE_IN_SITU_FIT_H

#include <stdint.h>

/*
 * A pair. Times from the begin of the first event to that of the one behind
 * the block, in any unit; skip: what skipping an event takes, in the same unit.
 */
struct tape_in_situ_pair {
	double kept, skipped; /* times */
	double n_kept, n_skipped; /* events, more than 0 */
	double skip;
};

/*
 * The cost of one recorded event, in the pair's unit. A block that is recorded
 * takes n (w + c), w being the program's own work from event to event; of one
 * that is skipped the first event's record still ends in it, about half of its
 * cost, and the last one's skipping is behind it:
 *	n w + (n - 1) s + c / 2.
 */
double tape_in_situ_cost(const struct tape_in_situ_pair *p);

/*
 * Samples that are kept, of so many that there were: each with the same chance
 * (Vitter 1985, algorithm R), by pseudo-random numbers that are always the
 * same.
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
	uint64_t n;   /* pairs */
};

/*
 * The mean of all but the tenth at each end, and its standard error, from the
 * Winsorized variance (Tukey and McLaughlin 1963): what a run loses to the
 * tracer is a sum, hence no median; blocks that were interrupted are at the
 * ends. Returns 0 where there are fewer than TAPE_IN_SITU_LEAST samples. Sorts
 * them.
 */
int tape_in_situ_fit(struct tape_in_situ *s, struct tape_in_situ_fit *f);

#endif
