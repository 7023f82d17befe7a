/*
 * The tree of clock domains: every domain is sampled once, from one that is
 * nearer to the reference; pairs of a level have no rank in common; neither
 * levels nor depth grow faster than the logarithm. Domains below one switch are
 * joined among themselves, so that the fewest pairs lie between switches.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/sampling_tree.h"
#include "tap.h"

enum { MOST = 700 };

/* No switches above any of them. */
static const char *const *none(void)
{
	static const char *all[MOST];

	for (int d = 0; d < MOST; d++)
		all[d] = "Cluster";
	return all;
}

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
	int known[MOST] = {1}, busy[MOST] = {0};

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
		clock_of[r] =
		    r && machine_of[r] == machine_of[r - 1] && below(3)
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
		levels = tape_sampling_tree(domains, size, machines, none(), n,
					    reference, pairs);
		why = levels < 0 ? "failed"
				 : wrong(pairs, n, domains, reference, levels);
		if (why) {
			bad++;
			printf("# %d domains of %d ranks: %s\n", n, size, why);
		}
		deep += levels > limit ||
			tape_sampling_tree_depth(pairs, n) > levels;
		sizes += n > 100;
	}
	printf("# seed 20260, %d trees of more than 100 domains\n", sizes);
	ok(!bad && sizes > 100, "every domain once, from one that is known");
	ok(!deep, "levels and depth are logarithmic in machines and in the "
		  "domains of one");
}

static void exact(void)
{
	int id[512], one[512] = {0}, bad = 0;
	struct tape_pair p[512];

	for (int i = 0; i < 512; i++)
		id[i] = i;
	for (int n = 2; n <= 512; n *= 2)
		for (int same = 0; same < 2; same++)
			bad +=
			    tape_sampling_tree(id, n, same ? one : id, none(),
					       n, 0, p) != log2_up(n) ||
			    tape_sampling_tree_depth(p, n) != log2_up(n);
	ok(!bad, "2 to 512 clocks: levels and depth 1 to 9");
	ok(tape_sampling_tree(id, 5, id, none(), 5, 0, p) == 3 &&
	       tape_sampling_tree_depth(p, 5) == 2 && p[0].domain == 4 &&
	       p[0].by == 0 && p[1].domain == 2 && p[2].domain == 1 &&
	       p[3].domain == 3 && p[3].by == 2,
	   "five hosts: 0-4, then 0-2, then 0-1 and 2-3 at once");
	ok(!tape_sampling_tree(id, 1, one, none(), 1, 0, p),
	   "one clock: nothing to do");
}

/* ---- switches ---- */

static char ways[MOST][128];

/* Random switches over each machine, some with fewer levels than others. */
static void make_switches(int n, const int *machines, const char **switches)
{
	int levels = 1 + below(4), wide = 1 + below(4), uneven = below(2);

	for (int d = 0; d < n; d++) {
		int first = 0, depth = levels;
		char *s = ways[d];

		while (machines[first] != machines[d])
			first++;
		switches[d] = ways[d];
		if (first < d) {
			strcpy(s, ways[first]);
			continue;
		}
		if (uneven)
			depth = below(levels + 1);
		s += sprintf(s, "Cluster");
		/* S:1 and S:1-2: one is no part of the other */
		for (int l = 0; l < depth; l++)
			s += sprintf(s, below(2) ? "/S:%d" : "/S:%d-2",
				     below(wide));
	}
}

/* Is domain d in the piece that is the first bytes of where? */
static int inside(const char *way, const char *where, size_t bytes)
{
	return !strncmp(way, where, bytes) &&
	       (way[bytes] == '/' || !way[bytes]);
}

/*
 * Of that piece: pairs between its members are as many as join them. *children
 * receives what it consists of: pieces, and, as one, machines right below it.
 */
static int is_joined(const struct tape_pair *p, int n,
		     const char *const *switches, const char *where,
		     size_t bytes, int *children)
{
	int members = 0, within = 0, loose = 0;

	*children = 0;
	for (int d = 0; d < n; d++) {
		size_t next = bytes;
		int fresh = 1;

		if (!inside(switches[d], where, bytes))
			continue;
		members++;
		if (!switches[d][bytes]) {
			loose = 1;
			continue;
		}
		next += 1 + strcspn(switches[d] + bytes + 1, "/");
		for (int e = 0; e < d; e++)
			fresh &= !inside(switches[e], switches[d], next);
		*children += fresh;
	}
	*children += loose;
	for (int i = 0; i < n - 1; i++)
		within += inside(switches[p[i].by], where, bytes) &&
			  inside(switches[p[i].domain], where, bytes);
	return within == members - 1;
}

/* Most rounds that machines and their domains below one piece need. */
static int last_rounds(const int *machines, const char *const *switches, int n)
{
	int rounds = 0, on_one = 0;

	for (int d = 0; d < n; d++) {
		int of_switch = 0, of_machine = 0;

		for (int e = 0; e < n; e++) {
			int first = !strcmp(switches[e], switches[d]);

			of_machine += first && machines[e] == machines[d];
			for (int f = 0; f < e && first; f++)
				first = machines[f] != machines[e];
			of_switch += first;
		}
		if (log2_up(of_switch) > rounds)
			rounds = log2_up(of_switch);
		if (log2_up(of_machine) > on_one)
			on_one = log2_up(of_machine);
	}
	return rounds + on_one;
}

/* What is wrong with a tree along switches, or NULL. */
static const char *wrong_along(const struct tape_pair *p, int n,
			       const int *machines, const char *const *switches,
			       int levels)
{
	int rounds[8] = {0}, limit = last_rounds(machines, switches, n);

	for (int d = 0; d < n; d++) {
		const char *s = switches[d];
		int depth = 0;

		for (;; s++) {
			int children;

			s += strcspn(s, "/");
			if (!is_joined(p, n, switches, switches[d],
				       (size_t)(s - switches[d]), &children))
				return "two parts of one piece";
			if (log2_up(children) > rounds[depth])
				rounds[depth] = log2_up(children);
			depth++;
			if (!*s)
				break;
		}
		for (int i = 0, k = 0; i < n; i++) {
			k += i < n - 1 && machines[p[i].by] == machines[d] &&
			     machines[p[i].domain] == machines[d];
			if (i < n - 1)
				continue;
			for (int e = 0; e < n; e++)
				k -= machines[e] == machines[d];
			if (k != -1)
				return "two parts of one machine";
		}
	}
	for (int i = 0; i < 8; i++)
		limit += rounds[i];
	return levels > limit				 ? "too many levels"
	       : tape_sampling_tree_depth(p, n) > levels ? "too deep"
							 : NULL;
}

static void along(void)
{
	int domains[MOST], machines[MOST], bad = 0, large = 0;
	const char *switches[MOST];
	struct tape_pair pairs[MOST];

	for (int c = 0; c < 600; c++) {
		int size = 1 + below(c < 500 ? 30 : 150);
		int reference = below(size), levels;
		int n = make(size, 1 + below(4), domains, machines, reference);
		const char *why;

		make_switches(n, machines, switches);
		levels = tape_sampling_tree(domains, size, machines, switches,
					    n, reference, pairs);
		why = levels < 0 ? "failed"
				 : wrong(pairs, n, domains, reference, levels);
		if (!why)
			why = wrong_along(pairs, n, machines, switches, levels);
		if (why) {
			bad++;
			printf("# %d domains of %d ranks: %s\n", n, size, why);
		}
		large += n > 50;
	}
	printf("# %d trees of more than 50 domains\n", large);
	ok(!bad && large > 20, "what is in one piece is joined there");
}

/* Four switches of four hosts, the hosts' numbers dealt out in turn. */
static void dealt(void)
{
	static const char *const name[] = {"Cluster/S:0", "Cluster/S:1",
					   "Cluster/S:2", "Cluster/S:3"};
	const char *switches[16];
	struct tape_pair p[16];
	int id[16], wide = 0, wide_before = 0, levels;

	for (int d = 0; d < 16; d++) {
		id[d] = d;
		switches[d] = name[(d * 7 + 3 + d / 4) % 4];
	}
	switches[0] = name[0];
	levels = tape_sampling_tree(id, 16, id, none(), 16, 0, p);
	for (int i = 0; i < 15; i++)
		wide_before +=
		    strcmp(switches[p[i].by], switches[p[i].domain]) != 0;
	ok(levels == 4, "four levels without switches");
	levels = tape_sampling_tree(id, 16, id, switches, 16, 0, p);
	for (int i = 0; i < 15; i++)
		wide += strcmp(switches[p[i].by], switches[p[i].domain]) != 0;
	ok(wide == 3 && wide < wide_before, "%d pairs between switches, not %d",
	   wide, wide_before);
	ok(levels <= 5 && p[2].level == 1 &&
	       strcmp(switches[p[2].by], switches[p[2].domain]),
	   "first those between switches: %d levels", levels);
}

int main(void)
{
	any();
	exact();
	along();
	dealt();
	return done();
}
