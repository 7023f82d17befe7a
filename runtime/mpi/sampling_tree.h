/*
 * The pairs of clocks that sample each other: a tree over the clock domains,
 * whose root is the reference's domain. Pure: no MPI, no state.
 *
 * The tree follows the hardware: the domains below a switch form a subtree. One
 * domain represents each widest switch; below it, one domain represents each
 * narrower switch, then each machine, then come the domains of a machine. So S
 * switches of one kind are joined by S - 1 pairs, the minimum. The members of a
 * group form a binomial tree: of n members, member i > 0 is sampled by the
 * member whose number is i without its lowest bit. So at most log2 n pairs lie
 * between a member and member 0. Few pairs are long, because members with
 * neighbouring numbers are mostly close in the network. All pairs of a level
 * have different ranks and are sampled in parallel.
 */
#ifndef TAPE_SAMPLING_TREE_H
#define TAPE_SAMPLING_TREE_H

/*
 * One pair: rank asks, of clock domain by, samples rank answers, of clock
 * domain domain.
 */
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

/* Returns the number of pairs between the root and its farthest domain. */
int tape_sampling_tree_depth(const struct tape_pair *pairs, int n_domains);

#endif
