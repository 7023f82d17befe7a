/*
 * Which hosts are near each other, from the latencies between them: levels of
 * switches. Pure.
 *
 * Hosts are joined, the nearest first, and then groups of them, by the mean
 * latency between two groups (average linkage, UPGMA: Sokal and Michener 1958;
 * found by chains of nearest neighbours, Murtagh 1983, in n^2 steps). A single
 * pair that was disturbed so changes little. In a network of switches the
 * latencies at which groups join come in a few kinds; between two kinds is a
 * gap, and below a gap lie the groups that share a switch.
 *
 * A gap is a ratio of TAPE_NEAR_GAP or more between the medians of all pairs on
 * both sides. The least of many round trips
 * differs by a few per cent, and by up to a tenth on busy machines, from pair
 * to pair of one kind; a way through two more switches of the fastest networks
 * takes a quarter more than one within a switch. And two groups or more below a
 * gap have two hosts or more: a host that is slow by itself is alone, and far
 * from all, and would be taken for one with a switch of its own.
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
	 * Of host i at level l, the widest first: its group at [l * n + i],
	 * numbered from 0 within the group above, in the order of their first
	 * hosts.
	 */
	unsigned *group;
};

/*
 * Latencies between n hosts: those of i and j at [i * n + j] and [j * n + i],
 * above 0; the mean of both counts. latency is used as room. Returns 0 and *r,
 * whose group is to be freed, or TAPE_ENOMEM, or TAPE_ERANGE: one is none.
 */
int tape_clusters_find(float *latency, size_t n, struct tape_clusters *r);

/*
 * How many levels hosts i and j share: r->levels if they are in one group at
 * the narrowest.
 */
int tape_clusters_shared(const struct tape_clusters *r, size_t i, size_t j);

/*
 * All pairs of n in rounds, each in one pair of a round at most: who is with i
 * in that round, or n: nobody. There are n - 1 rounds if n is even, else n.
 */
size_t tape_clusters_partner(size_t n, size_t round, size_t i);

#endif
