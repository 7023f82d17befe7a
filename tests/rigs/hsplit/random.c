/*
 * Random hosts, switches and bindings: every split of libtape-hsplit is what
 *the rules say (split_case.h), on each process. The library's objects are
 *linked in, for hosts have names of our own and what was read is to be read
 *again.
 *
 *	mpirun -np 12 hsplit_random FOLDER SEED CASES
 *
 * prints what is wrong, and "SEED: CASES cases, N splits, N wrong".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "own_position.h"
#include "split_case.h"
#include "tape_hsplit.h"

static int me, size, wrong;
static uint64_t case_seed;
static long splits;
static char host_name[16];
static struct split_rules rules;

/* Of the library and of MPI: the case's, if there is one. */
int gethostname(char *name, size_t n)
{
	struct utsname u;

	uname(&u);
	snprintf(name, n, "%s", *host_name ? host_name : u.nodename);
	return 0;
}

static void fail(const char *what, const char *got, const char *expected)
{
	if (wrong++ < 3)
		printf("case %llu, rank %d: %s: %s, not %s\n",
		       (unsigned long long)case_seed, me, what, got, expected);
}

static void number(const char *what, long got, long expected)
{
	char a[32], b[32];

	if (got == expected)
		return;
	sprintf(a, "%ld", got);
	sprintf(b, "%ld", expected);
	fail(what, a, b);
}

/* A communicator's members as ranks of MPI_COMM_WORLD, in its order. */
struct list {
	int n, rank[RANKS_MAX];
	uint64_t ranks;
};

static void list_of(MPI_Comm comm, struct list *l)
{
	int all[RANKS_MAX];
	MPI_Group world, group;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Comm_group(comm, &group);
	MPI_Comm_size(comm, &l->n);
	for (int i = 0; i < l->n; i++)
		all[i] = i;
	MPI_Group_translate_ranks(group, l->n, all, world, l->rank);
	l->ranks = 0;
	for (int i = 0; i < l->n; i++)
		l->ranks |= (uint64_t)1 << l->rank[i];
	MPI_Group_free(&group);
	MPI_Group_free(&world);
}

/* The members that are in ranks, in the order that they have. */
static void list_part(const struct list *l, uint64_t ranks, struct list *part)
{
	part->n = 0;
	part->ranks = ranks;
	for (int i = 0; i < l->n; i++)
		if (ranks >> l->rank[i] & 1)
			part->rank[part->n++] = l->rank[i];
}

static char *list_text(const struct list *l, char text[512])
{
	int n = sprintf(text, "{");

	for (int i = 0; i < l->n; i++)
		n += sprintf(text + n, " %d", l->rank[i]);
	sprintf(text + n, " }");
	return text;
}

static void members(const char *what, MPI_Comm comm,
		    const struct list *expected)
{
	char a[512] = "nothing", b[512];
	struct list l = {0};

	if (comm != MPI_COMM_NULL)
		list_of(comm, &l);
	if (l.n != expected->n ||
	    memcmp(l.rank, expected->rank, (size_t)l.n * sizeof *l.rank))
		fail(what, list_text(&l, a), list_text(expected, b));
}

/*
 * What the rules say of a split of old: this process's part, the roots of all
 * parts, and the place of its own among them. type NULL: not guided.
 */
static void expect(const struct list *old, const char *type, struct list *part,
		   struct list *roots, int *index)
{
	uint64_t mine, firsts = 0;

	mine = type ? split_guided(&rules, old->ranks, me, type)
		    : split_together(&rules, old->ranks, me);
	list_part(old, mine, part);
	*index = -1;
	roots->n = 0;
	for (int i = 0; i < old->n; i++) {
		int r = old->rank[i];
		uint64_t with = type ? split_guided(&rules, old->ranks, r, type)
				     : split_together(&rules, old->ranks, r);

		if (!with || with & firsts)
			continue;
		if (mine == with)
			*index = roots->n;
		firsts |= (uint64_t)1 << r;
		roots->rank[roots->n++] = r;
	}
	roots->ranks = firsts;
}

static void check(MPI_Comm old, const char *type, MPI_Comm new, MPI_Comm roots)
{
	struct list before, part, firsts, none = {0};
	int index, num, got, same;
	const char *name;

	list_of(old, &before);
	expect(&before, type, &part, &firsts, &index);
	members(type ? type : "split", new, &part);
	members("roots", roots, part.n && part.rank[0] == me ? &firsts : &none);
	splits++;
	if (new == MPI_COMM_NULL)
		return;
	tape_get_hlevel_info(new, &num, &got, &name);
	number("index", got, index);
	number("number", num, firsts.n);
	if (!type)
		type = split_holds(&rules, part.ranks)->type;
	if (strcasecmp(name, type) != 0)
		fail("type", name, type);
	MPI_Comm_compare(old, new, &same);
	number("subset", part.n < before.n, same == MPI_UNEQUAL);
}

/* The levels down to the last; frees comm. */
static void go_down(MPI_Comm comm)
{
	while (comm != MPI_COMM_NULL) {
		MPI_Comm new, roots;

		tape_hsplit_with_roots(comm, MPI_INFO_NULL, &new, &roots);
		check(comm, NULL, new, roots);
		if (roots != MPI_COMM_NULL)
			MPI_Comm_free(&roots);
		MPI_Comm_free(&comm);
		comm = new;
	}
}

static void go_to_type(MPI_Comm comm, uint64_t *s)
{
	const struct piece *p;
	const char *type;
	char text[80];
	MPI_Comm new, roots;
	MPI_Info info;

	do {
		p = &rules.piece[split_random(s, (unsigned)rules.n)];
	} while (p->nameless);
	type = p->type;
	sprintf(text, "%s%s", split_random(s, 2) ? "hwloc://" : "", type);
	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_hw_resource_type", text);
	tape_hsplit_with_roots(comm, info, &new, &roots);
	MPI_Info_free(&info);
	check(comm, type, new, roots);
	if (roots != MPI_COMM_NULL)
		MPI_Comm_free(&roots);
	if (new != MPI_COMM_NULL)
		MPI_Comm_free(&new);
}

static void lowest_of_some(MPI_Comm comm, uint64_t *s)
{
	int ranks[2 * RANKS_MAX], n = 0, listed = 0;
	const char *type, *expected;
	uint64_t which = 0;
	struct list l;

	list_of(comm, &l);
	n = 1 + (int)split_random(s, (unsigned)l.n);
	for (int i = 0; i < n; i++) { /* some twice */
		ranks[i] = (int)split_random(s, (unsigned)l.n);
		which |= (uint64_t)1 << l.rank[ranks[i]];
		listed |= l.rank[ranks[i]] == me;
	}
	tape_get_min_hlevel(comm, n, ranks, &type);
	expected = listed ? split_holds(&rules, which)->type : "Unknown";
	if (strcmp(type, expected) != 0)
		fail("lowest", type, expected);
}

static void one_case(const char *folder)
{
	char network[512], topology[512];
	struct split_case c;
	uint64_t s = case_seed * 7919 + 1;
	MPI_Comm comm;

	split_case_make(&c, case_seed, size);
	split_rules_of(&rules, &c);
	snprintf(network, sizeof network, "%s/network.%d", folder, me);
	snprintf(topology, sizeof topology, "%s/topology.%d", folder, me);
	unsetenv("TAPE_NETWORK");
	if (c.network) {
		split_case_network(&c, network);
		setenv("TAPE_NETWORK", network, 1);
	}
	split_case_host(&c, c.host[me], topology);
	setenv("TAPE_BINDING", c.binding[me], 1);
	sprintf(host_name, "h%d", c.host[me]);
	tape_free_levels();
	for (int i = 0; i < 4; i++)
		split_random(&s, 2);
	switch (split_random(&s, 3)) {
	case 0: /* backwards */
		MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm);
		break;
	case 1: /* a part, and the rest */
		MPI_Comm_split(MPI_COMM_WORLD,
			       (int)(split_random(&s, 1u << 30) >> (me % 30)) &
				   1,
			       me, &comm);
		break;
	default:
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		break;
	}
	go_to_type(comm, &s);
	lowest_of_some(comm, &s);
	go_down(comm);
}

int main(int argc, char **argv)
{
	uint64_t seed;
	long cases, sum[2], mine[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 4 || size > RANKS_MAX) {
		fprintf(stderr, "hsplit_random FOLDER SEED CASES\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	seed = strtoull(argv[2], NULL, 10);
	cases = atol(argv[3]);
	for (long i = 0; i < cases; i++) {
		case_seed = seed + (uint64_t)i;
		one_case(argv[1]);
	}
	mine[0] = splits;
	mine[1] = wrong;
	MPI_Reduce(mine, sum, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (me == 0)
		printf("%llu: %ld cases, %ld splits, %ld wrong\n",
		       (unsigned long long)seed, cases, sum[0], sum[1]);
	MPI_Finalize();
	return 0;
}
