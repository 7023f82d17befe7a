/* Finds clocks that were not linear, by messages; see linearity_test.c. */
#ifndef SBA_LINEARITY_TEST_H
#define SBA_LINEARITY_TEST_H

#include "message_bounds.h"

/*
 * Sets nonlinear[i] for the clocks whose tracks, those of the rounds, must be
 * wrong: a small set that explains all messages that arrive too early even at
 * the far ends of both intervals. The reference is never in the set. Returns
 * the number of such messages.
 */
uint64_t linearity_test(const struct clocks *k, const struct bounds_pair *way,
			size_t n_ways, unsigned char *nonlinear);

#endif
