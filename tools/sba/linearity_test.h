/* Which clocks had no straight line, by messages; see linearity_test.c. */
#ifndef SBA_LINEARITY_TEST_H
#define SBA_LINEARITY_TEST_H

#include "message_bounds.h"

/*
 * Sets nonlinear[i] of the clocks whose tracks, which are those of the rounds,
 * cannot be right: as few as explain all messages that arrive too early even at
 * the far ends of two intervals. Returns how many messages these are. The
 * reference is never one.
 */
uint64_t linearity_test(const struct clocks *k, const struct bounds_pair *way,
			size_t n_ways, unsigned char *nonlinear);

#endif
