/* The dates of messages, put in order; the last step of following them. */
#ifndef SBA_CAUSAL_H
#define SBA_CAUSAL_H

#include "message_bounds.h"

/*
 * Moves the dates at which the messages of these ways, between known clocks,
 * were sent and received, within the clocks' guaranteed intervals, until each
 * is received after it was sent, and the tracks with them. Tracks without any
 * early message do not change. Dies when out of memory.
 */
void causal_order(struct clocks *k, const struct bounds_pair *way,
		  size_t n_ways, const unsigned char *known);

#endif
