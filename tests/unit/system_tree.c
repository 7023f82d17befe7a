/*
 * The hierarchy of a run: levels and groups against the definition, over all
 * pairs of ranks with random positions; names; what contradicts itself; size.
 */
#include <stdlib.h>
#include <string.h>

#include "position.h"
#include "system_tree.h"
#include "tap.h"

enum { CASES = 300, RANKS = 24 };

static const char *const types[] = {"Switch2",	"Switch1", "Machine", "Package",
				    "NUMANode", "L3",	   "L2",      "Core"};
enum { TYPES = sizeof types / sizeof *types };

static unsigned seed = 17;

static unsigned dice(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* Some of the types, in that order, bound to somewhere; few names. */
static void draw(char *p, unsigned which, unsigned names)
{
	char name[8];

	strcpy(p, "Cluster");
	for (unsigned i = 0; i < TYPES; i++) {
		if (!(which >> i & 1))
			continue;
		if (!dice(9))
			return;
		snprintf(name, sizeof name, "%u", dice(names));
		tape_position_add(p, types[i], name);
	}
}

/* The type that two ranks share, by position.h alone. */
static void shared(const char *a, const char *b, char type[TAPE_LEVEL_MAX])
{
	tape_position_type(a, tape_position_common(a, b), type);
}

static int number_of(const char *type)
{
	for (int i = 0; i < TYPES; i++)
		if (!strcmp(types[i], type))
			return TYPES - i;
	return TYPES + 1; /* Cluster */
}

/* Levels and groups of each pair; and that each level has such a pair. */
static int right(const struct tape_system *h, char p[][TAPE_POSITION_MAX])
{
	int levels = tape_system_levels(h), good = 1;
	int *seen = calloc((size_t)levels, sizeof *seen);
	char type[TAPE_LEVEL_MAX];

	for (int a = 0; a < RANKS; a++)
		for (int b = 0; b < RANKS; b++) {
			int level = tape_system_level(h, a, b);

			shared(p[a], p[b], type);
			seen[level] = 1;
			good &= !strcmp(tape_system_name(h, level),
					a == b ? "rank" : type);
			for (int i = 0; i < levels; i++)
				good &= (tape_system_group(h, i, a) ==
					 tape_system_group(h, i, b)) ==
					(level <= i);
		}
	for (int i = 0; i < levels; i++)
		good &= seen[i];
	for (int i = 2; i < levels; i++)
		good &= number_of(tape_system_name(h, i - 1)) <
			number_of(tape_system_name(h, i));
	free(seen);
	return good;
}

/* Groups are numbered by their first ranks. */
static int numbered(const struct tape_system *h)
{
	int good = 1;

	for (int i = 0; i < tape_system_levels(h); i++) {
		int n = 0;

		for (int r = 0; r < RANKS; r++) {
			int g = tape_system_group(h, i, r);

			good &= g <= n && tape_system_first(h, i, g) <= r;
			if (g == n) {
				n++;
				good &= tape_system_first(h, i, g) == r;
			}
		}
		good &= n == tape_system_groups(h, i);
	}
	return good && tape_system_groups(h, 0) == RANKS;
}

static void any(void)
{
	static char p[RANKS][TAPE_POSITION_MAX];
	const char *position[RANKS];
	int bad = 0, misnumbered = 0, depth = 0;

	for (int i = 0; i < CASES; i++) {
		unsigned all = dice(1u << TYPES), names = 1 + dice(4);
		int mixed = (int)dice(2);
		struct tape_system *h;

		for (int r = 0; r < RANKS; r++) {
			draw(p[r], mixed ? all | dice(1u << TYPES) : all,
			     names);
			position[r] = p[r];
		}
		/* that the order of types is known is for those of no ties */
		for (int t = 0; mixed && t < TYPES; t++)
			all |= 1u << t;
		draw(p[0], all, names);
		if (tape_system_new(&h, position, RANKS))
			exit(1);
		if (!right(h, p) && !mixed)
			bad++;
		misnumbered += !numbered(h);
		if (tape_system_levels(h) > depth)
			depth = tape_system_levels(h);
		tape_system_free(h);
	}
	ok(!bad, "levels of all pairs in %d random runs", CASES);
	ok(!misnumbered, "groups are numbered by first ranks");
	ok(depth > 6, "as many as %d levels", depth);
}

static void names(void)
{
	static const char *const p[] = {
	    "Cluster/Machine:a/Package:0/L3:0/Core:0",
	    "Cluster/Machine:a/Package:0/L3:0/Core:1",
	    "Cluster/Machine:a/Package:1/L3:1/Core:4",
	    "Cluster/Machine:b",
	    "Cluster/Machine:b",
	    NULL,
	};
	struct tape_system *h;

	if (tape_system_new(&h, p, 6))
		exit(1);
	ok(tape_system_levels(h) == 4 &&
	       !strcmp(tape_system_name(h, 0), "rank") &&
	       !strcmp(tape_system_name(h, 1), "L3") &&
	       !strcmp(tape_system_name(h, 2), "Machine") &&
	       !strcmp(tape_system_name(h, 3), "Cluster"),
	   "redundant levels are the lowest of them");
	ok(tape_system_within(h, "core") == 0 &&
	       tape_system_within(h, "L3") == 1 &&
	       tape_system_within(h, "package") == 1 &&
	       tape_system_within(h, "Machine") == 2 &&
	       tape_system_within(h, "Cluster") == 3 &&
	       tape_system_within(h, "Switch1") == -1,
	   "the levels of types");
	ok(!strcmp(tape_system_group_name(h, 1, 0, 0), "L3:0") &&
	       !strcmp(tape_system_group_name(h, 1, 1, 1),
		       "Cluster/Machine:a/Package:1/L3:1"),
	   "%s", tape_system_group_name(h, 1, 1, 1));
	ok(!strcmp(tape_system_group_name(h, 1, 2, 0), "rank 3") &&
	       !strcmp(tape_system_group_name(h, 0, 5, 1), "rank 5"),
	   "ranks");
	ok(!strcmp(tape_system_group_name(h, 2, 2, 0), "Machine:?") &&
	       tape_system_groups(h, 2) == 3 &&
	       !strcmp(tape_system_group_name(h, 3, 0, 1), "Cluster"),
	   "hosts");
	ok(tape_system_parent(h, 0) == -1 &&
	       !strcmp(tape_system_step(h, 0), "Cluster") &&
	       tape_system_parent(h, 1) == 0 &&
	       !strcmp(tape_system_step(h, tape_system_node(h, 2)), "Core:4") &&
	       tape_system_node(h, 3) == tape_system_node(h, 4) &&
	       tape_system_nodes(h) == 11,
	   "the tree: %d nodes", tape_system_nodes(h));
	tape_system_free(h);
	tape_system_free(NULL);
}

/* Nothing to hold on to: types above and below each other, other roots. */
static void nonsense(void)
{
	static const char *const p[] = {"Cluster/A:0/B:0/A:1", "B:0/A:0",
					"Cluster/A:0/B:0",     "A:0/A:0/A:0",
					"Cluster/B:0/C:0/A:1", "Cluster"};
	struct tape_system *h;
	int good = 1;

	if (tape_system_new(&h, p, 6))
		exit(1);
	for (int a = 0; a < 6; a++)
		for (int b = 0; b < 6; b++)
			for (int i = 0; i < tape_system_levels(h); i++)
				good &= (tape_system_group(h, i, a) ==
					 tape_system_group(h, i, b)) ==
					(tape_system_level(h, a, b) <= i);
	ok(good, "groups and levels agree in any case");
	ok(!strcmp(tape_system_name(h, tape_system_levels(h) - 1), "Cluster"),
	   "all are of one cluster");
	tape_system_free(h);
	ok(!tape_system_new(&h, p, 0) && tape_system_levels(h) == 1 &&
	       !tape_system_groups(h, 0),
	   "no rank");
	tape_system_free(h);
}

/* Each two ranks share something that is of a type of its own. */
static void many(void)
{
	enum { N = 400 };
	static char p[N][TAPE_POSITION_MAX];
	const char *position[N];
	struct tape_system *h;
	int good = 1;

	for (int i = 0; i < N; i++) {
		snprintf(p[i], sizeof p[i], "Cluster/T%d:0/Core:%d", i / 2, i);
		position[i] = p[i];
	}
	if (tape_system_new(&h, position, N))
		exit(1);
	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			for (int i = 0; i < tape_system_levels(h); i++)
				good &= (tape_system_group(h, i, a) ==
					 tape_system_group(h, i, b)) ==
					(tape_system_level(h, a, b) <= i);
	ok(good && tape_system_levels(h) == 2 * TAPE_STEPS_MAX &&
	       !strcmp(tape_system_name(h, tape_system_levels(h) - 1),
		       "Cluster"),
	   "no more than %d levels", tape_system_levels(h));
	tape_system_free(h);
}

/* 65,536 ranks: what takes time or memory by their square does not end. */
static void large(void)
{
	enum { N = 65536 };
	const char **position = calloc(N, sizeof *position);
	struct tape_system *h;
	char p[TAPE_POSITION_MAX];

	for (int i = 0; i < N; i++) {
		snprintf(p, sizeof p,
			 "Cluster/Switch2:%d/Switch1:%d/Machine:node%d/"
			 "Package:%d/L3:%d/L2:%d/Core:%d",
			 i / 4096, i / 512, i / 64, i % 64 / 32, i % 64 / 8,
			 i % 64, i % 64);
		position[i] = strdup(p);
	}
	if (tape_system_new(&h, position, N))
		exit(1);
	ok(tape_system_levels(h) == 7 && tape_system_groups(h, 1) == N / 8 &&
	       tape_system_groups(h, 4) == N / 512 &&
	       tape_system_level(h, 0, N - 1) == 6,
	   "65,536 ranks");
	tape_system_free(h);
	for (int i = 0; i < N; i++)
		free((char *)position[i]);
	free(position);
}

int main(void)
{
	any();
	names();
	nonsense();
	many();
	large();
	return done();
}
