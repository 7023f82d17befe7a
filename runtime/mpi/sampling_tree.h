/*
 * Which clocks sample each other: a tree over the clock domains, its root the
 * reference's. Pure: no MPI, no state.
 *
 * It follows the hardware: what is below one switch is in one part of the tree.
 * One domain of each widest switch stands for it among these, then one of each
 * switch below for that, and so on, then one of each machine, then the domains
 * of a machine. So of S switches of one kind S - 1 pairs lie between two of
 * them, the fewest that join them. What stands in one group is a binomial tree:
 * of n members, member i > 0 is asked by the one whose number is i without its
 * lowest bit, so that at most log2 n pairs lie between any of them and member
 * 0, and few of them are long: neighbours by number are mostly near each other
 * in the network, too. All pairs of a level are of different ranks and are
 * sampled side by side.
 */
#ifndef TAPE_SAMPLING_TREE_H
#define TAPE_SAMPLING_TREE_H

/* One pair: rank asks, of clock domain by, samples rank answers, of domain. */
struct tape_pair {
	int by, domain;
	int asks, answers;
	int level; /* from 0 on */
};

/*
 * Fills pairs, n_domains - 1 of them in order of their level, each domain but
 * 0 once as domain, and always after (a level above) the pair that has its
 * "by" as domain.
 *
 * domains   clock domain of each of size ranks, 0 to n_domains - 1, numbered
 *           in the order of their first ranks, but for 0: the reference's
 * machines  of each domain, a number that domains on one machine share
 * switches  of each domain, the position of its machine's switches, widest
 *           first (catalogue/position.h)
 * reference the rank that stands for domain 0; other domains have their first
 *
 * Returns the number of levels, or TAPE_ENOMEM.
 */
int tape_sampling_tree(const int *domains, int size, const int *machines,
		       const char *const *switches, int n_domains,
		       int reference, struct tape_pair *pairs);

/* How many pairs lie between the root and the domain farthest from it. */
int tape_sampling_tree_depth(const struct tape_pair *pairs, int n_domains);

#endif
