/* The tree of clock domains; see tree.h. */
#include <stdlib.h>

#include "error.h"
#include "tree.h"

/* Levels of a binomial tree of n members. */
static int levels(int n)
{
	int l = 0;

	while (1L << l < n)
		l++;
	return l;
}

/*
 * The pairs of the binomial tree over n domains, whose first level is number
 * first. The longest step comes first: a member is asked before it asks.
 */
static int binomial(const int *member, int n, int first,
		    struct tape_pair *pairs)
{
	int k = 0;

	for (int i = 1; i < n; i++) {
		int bit = 0;

		while (!(i >> bit & 1))
			bit++;
		pairs[k].by = member[i & (i - 1)];
		pairs[k].domain = member[i];
		pairs[k++].level = first + levels(n) - 1 - bit;
	}
	return k;
}

static int by_level(const void *a, const void *b)
{
	const struct tape_pair *p = a, *q = b;

	if (p->level != q->level)
		return p->level < q->level ? -1 : 1;
	return (p->domain > q->domain) - (p->domain < q->domain);
}

int tape_tree(const int *domains, int size, const int *machines, int n_domains,
	      int reference, struct tape_pair *pairs)
{
	int *member = malloc((size_t)n_domains * 2 * sizeof *member);
	int *rank = member + n_domains, n = 0, k, first, deepest;

	if (!member)
		return TAPE_ENOMEM;
	for (int r = size; r-- > 0;)
		rank[domains[r]] = r;
	rank[0] = reference;
	/* among machines: the first domain of each */
	for (int d = 0; d < n_domains; d++) {
		int e = 0;

		while (machines[e] != machines[d])
			e++;
		if (e == d)
			member[n++] = d;
	}
	k = binomial(member, n, 0, pairs);
	first = deepest = levels(n);
	for (int d = 0; d < n_domains; d++) {
		n = 0;
		for (int e = 0; e < n_domains; e++) {
			if (machines[e] != machines[d])
				continue;
			if (e < d)
				break; /* a machine that is done */
			member[n++] = e;
		}
		k += binomial(member, n, first, pairs + k);
		if (first + levels(n) > deepest)
			deepest = first + levels(n);
	}
	for (int i = 0; i < k; i++) {
		pairs[i].asks = rank[pairs[i].by];
		pairs[i].answers = rank[pairs[i].domain];
	}
	qsort(pairs, (size_t)k, sizeof *pairs, by_level);
	free(member);
	return deepest;
}

int tape_tree_depth(const struct tape_pair *pairs, int n_domains)
{
	int *depth = calloc((size_t)n_domains, sizeof *depth), most = 0;

	if (!depth)
		return TAPE_ENOMEM;
	for (int i = 0; i < n_domains - 1; i++) {
		int d = depth[pairs[i].by] + 1;

		depth[pairs[i].domain] = d;
		most = d > most ? d : most;
	}
	free(depth);
	return most;
}
