/* Ranks that are equally slow: others wait for one of them, but for all. */
#ifndef STAT_TIED_RANKS_H
#define STAT_TIED_RANKS_H

#include "causes.h"
#include "stat.h"

/*
 * Returns 1 if the two ranks compute equally long within their intervals, and
 * by no more than least_ns apart. Without intervals only times that are equal
 * but for rounding are.
 */
int tied_ranks_compute_equally(const struct stat_rank *x,
			       const struct stat_rank *y, double least_ns);

/*
 * Adds to r, which has one rank, those of the n ranks that compute and wait
 * equally long. Nothing is added if all n are alike, or if another rank is a
 * cause, too (is_cause, by index): ranks that compute equally long in all may
 * do so in different activities. Dies when out of memory.
 */
void tied_ranks_add(const struct stat_rank *rank, size_t n,
		    const unsigned char *is_cause, double least_ns,
		    struct tape_late_ranks *r);

#endif
