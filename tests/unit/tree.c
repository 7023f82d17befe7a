/*
 * The tree of clock domains: every domain is sampled once, from one that is
 * nearer to the reference; pairs of a level have no rank in common; neither
 * levels nor depth grow faster than the logarithm.
 */
#include <stdlib.h>

#include "mpi/tree.h"
#include "tap.h"

enum { MOST = 700 };

static unsigned long long state = 20260;

static int below(int n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (int)((state >> 33) % (unsigned)n);
}

static int log2_up(int n)
{
	int l = 0;

	while (1 << l < n)
		l++;
	return l;
}

/* What is wrong with a tree, or NULL. */
static const char *wrong(const struct tape_pair *p, int n, const int *domains,
			 int reference, int levels)
{
	int known[MOST] = { 1 }, busy[MOST] = { 0 };

	for (int i = 0; i < n - 1; i++) {
		if (p[i].level < 0 || p[i].level >= levels ||
		    (i && p[i].level < p[i - 1].level))
			return "levels are not in order";
		if (i && p[i].level > p[i - 1].level)
			for (int r = 0; r < MOST; r++)
				busy[r] = 0;
		if (known[p[i].domain]++)
			return "a domain is sampled twice";
		if (!known[p[i].by])
			return "a domain asks that was not asked";
		if (domains[p[i].asks] != p[i].by ||
		    domains[p[i].answers] != p[i].domain)
			return "a rank of another domain";
		if (busy[p[i].asks]++ || busy[p[i].answers]++)
			return "a rank in two pairs of a level";
		if (!p[i].by && p[i].asks != reference)
			return "another rank than the reference";
	}
	return NULL;
}

/* size ranks, up to per machine on each, clocks of their own now and then. */
static int make(int size, int per, int *domains, int *machines, int reference)
{
	int n = 1, machine_of[MOST], clock_of[MOST], number[MOST];

	for (int r = 0; r < size; r++) {
		machine_of[r] = r && below(per) ? machine_of[r - 1] : r;
		clock_of[r] = r && machine_of[r] == machine_of[r - 1] &&
					      below(3)
				      ? clock_of[r - 1]
				      : r;
		number[r] = -1;
	}
	number[clock_of[reference]] = 0;
	for (int r = 0; r < size; r++) {
		if (number[clock_of[r]] < 0)
			number[clock_of[r]] = n++;
		domains[r] = number[clock_of[r]];
		machines[domains[r]] = machine_of[r];
	}
	return n;
}

/* How many domains the fullest machine has, and how many machines. */
static int count(const int *machines, int n, int *most)
{
	int hosts = 0;

	*most = 0;
	for (int d = 0; d < n; d++) {
		int same = 0, first = 1;

		for (int e = 0; e < n; e++) {
			same += machines[e] == machines[d];
			first &= e >= d || machines[e] != machines[d];
		}
		hosts += first;
		*most = same > *most ? same : *most;
	}
	return hosts;
}

static void any(void)
{
	int domains[MOST], machines[MOST], bad = 0, deep = 0, sizes = 0;
	struct tape_pair pairs[MOST];

	for (int c = 0; c < 2000; c++) {
		int size = 1 + below(c < 1000 ? 12 : MOST);
		int reference = below(size), hosts, most, levels, limit;
		int n = make(size, 1 + below(20), domains, machines, reference);
		const char *why;

		hosts = count(machines, n, &most);
		limit = log2_up(hosts) + log2_up(most);
		levels = tape_tree(domains, size, machines, n, reference,
				   pairs);
		why = levels < 0 ? "failed"
				 : wrong(pairs, n, domains, reference, levels);
		if (why) {
			bad++;
			printf("# %d domains of %d ranks: %s\n", n, size, why);
		}
		deep += levels > limit ||
			tape_tree_depth(pairs, n) > levels;
		sizes += n > 100;
	}
	printf("# seed 20260, %d trees of more than 100 domains\n", sizes);
	ok(!bad && sizes > 100, "every domain once, from one that is known");
	ok(!deep, "levels and depth are logarithmic in machines and in the "
		  "domains of one");
}

static void exact(void)
{
	int id[512], one[512] = { 0 }, bad = 0;
	struct tape_pair p[512];

	for (int i = 0; i < 512; i++)
		id[i] = i;
	for (int n = 2; n <= 512; n *= 2)
		for (int same = 0; same < 2; same++)
			bad += tape_tree(id, n, same ? one : id, n, 0, p) !=
				       log2_up(n) ||
			       tape_tree_depth(p, n) != log2_up(n);
	ok(!bad, "2 to 512 clocks: levels and depth 1 to 9");
	ok(tape_tree(id, 5, id, 5, 0, p) == 3 && tape_tree_depth(p, 5) == 2 &&
		   p[0].domain == 4 && p[0].by == 0 && p[1].domain == 2 &&
		   p[2].domain == 1 && p[3].domain == 3 && p[3].by == 2,
	   "five hosts: 0-4, then 0-2, then 0-1 and 2-3 at once");
	ok(!tape_tree(id, 1, one, 1, 0, p), "one clock: nothing to do");
}

int main(void)
{
	any();
	exact();
	return done();
}
