/*
 * Finds levels of switches from the latencies between hosts. Pure functions.
 *
 * Hosts, then groups of hosts, are joined in order of the mean latency between
 * two groups (average linkage, UPGMA: Sokal and Michener 1958; by chains of
 * nearest neighbours, Murtagh 1983, in n^2 steps). So a single disturbed pair
 * changes little. In a network of switches the latencies at which groups join
 * are of a few kinds, separated by gaps. The groups below a gap share a switch.
 *
 * A gap is a ratio of TAPE_CLUSTERS_GAP or more between the medians of all
 * pairs on both sides, Tape's own rule (doc/platforms.md, "Hosts that share
 * switches"). The minimum round trips of pairs of one kind differ by a few per
 * cent, by up to a tenth on busy machines. A route through two more switches of
 * the fastest networks takes a quarter longer. Below a gap there must be two
 * groups or more of two hosts or more: else a slow host would seem to have its
 * own switch.
 */
#ifndef TAPE_LATENCY_CLUSTERS_H
#define TAPE_LATENCY_CLUSTERS_H

#include <stddef.h>

#define TAPE_CLUSTERS_GAP 1.25

enum { TAPE_CLUSTERS_LEVELS = 24 };

struct tape_clusters {
	size_t n;   /* hosts */
	int levels; /* may be 0 */
	/*
	 * [l * n + i]: the group of host i at level l, the widest level first.
	 * Groups are numbered from 0 within the group above, in order of their
	 * first hosts.
	 */
	unsigned *group;
};

/*
 * Finds the levels. latency: n x n, those of i and j at [i * n + j] and
 * [j * n + i], above 0; the mean of both is used. latency is overwritten.
 * Returns 0, TAPE_ENOMEM, or TAPE_ERANGE for an invalid latency. The caller
 * frees r->group.
 */
int tape_clusters_find(float *latency, size_t n, struct tape_clusters *r);

/*
 * The number of levels that hosts i and j share; r->levels if they share the
 * narrowest.
 */
int tape_clusters_shared(const struct tape_clusters *r, size_t i, size_t j);

/*
 * The partner of i in a round of a tournament of n, or n if i has no partner.
 * There are n - 1 rounds if n is even, else n.
 */
size_t tape_clusters_partner(size_t n, size_t round, size_t i);

#endif
