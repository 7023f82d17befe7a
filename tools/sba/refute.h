/* Which clocks had no straight line, by messages; see refute.c. */
#ifndef SBA_REFUTE_H
#define SBA_REFUTE_H

#include "message_bounds.h"

/*
 * Sets crooked[i] of the clocks whose tracks, which are those of the rounds,
 * cannot be right: as few as explain all messages that arrive too early even at
 * the far ends of two intervals. Returns how many messages these are. The
 * reference is never one.
 */
uint64_t refute(const struct clocks *k, const struct bounds_way *way,
		size_t n_ways, unsigned char *crooked);

#endif
