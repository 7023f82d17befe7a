/* Puts the timestamps of messages in causal order: the last correction. */
#ifndef SBA_CAUSAL_H
#define SBA_CAUSAL_H

#include "message_bounds.h"

/*
 * Moves the timestamps of messages between known clocks within the guaranteed
 * intervals until each message is received after it was sent, and adjusts the
 * tracks. Tracks without an early message are unchanged. Dies when out of
 * memory.
 */
void causal_order(struct clocks *k, const struct bounds_pair *way,
		  size_t n_ways, const unsigned char *known);

#endif
