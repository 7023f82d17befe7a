/*
 * The cost of an operation, measured by pairs of loops: one with the operation,
 * one without. The cost is the median of the differences: a disturbance affects
 * one pair, and a drift affects both loops of a pair.
 */
#ifndef TAPE_PAIRS_H
#define TAPE_PAIRS_H

#include <stdint.h>

#include "alpha.h"

/* Calls of a loop, and pairs of loops. */
enum { TAPE_TIMES = 8, TAPE_PAIRS = 21 };

/* Ticks of each pair's loops, of what the tracer noted itself, and the pace. */
struct tape_pairs {
	float with[TAPE_PAIRS], without[TAPE_PAIRS], noted[TAPE_PAIRS];
	float independent[TAPE_PAIRS];
	uint64_t order; /* of random bits */
};

/*
 * Ticks that a fixed piece of work takes: of operations that wait for each
 * other, which tells the processor's clock rate; and of independent ones, which
 * take longer where a neighbour uses the same core.
 */
float tape_pace_chain(void);
float tape_pace_independent(void);

/* The median of TAPE_PAIRS paces, which it sorts. */
double tape_pace_median(float *pace);

/*
 * What one call costs, of all pairs. Sorts them. The bounds are of all: the
 * least is that of the quickest loops; slow that of the slowest traced loop but
 * one, since an interrupt may have come into one. The interval is the median's,
 * between order statistics of the differences (Conover 1999, 3.2); where pairs
 * met two states of the machine it holds the medians of both.
 */
struct tape_cost tape_cost_of(struct tape_pairs *p);

/* Returns pseudo-random bits, different at each call. */
uint64_t tape_pairs_order(void);

/* Returns 1 if loop k is the traced loop of its pair. */
static inline int tape_pairs_traced(struct tape_pairs *p, int k)
{
	if (k % 2 == 0)
		p->independent[k / 2] = tape_pace_independent();
	return (int)(p->order >> k / 2 & 1) ^ (k & 1);
}

#endif
