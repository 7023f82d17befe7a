/* The tree of clock domains; see sampling_tree.h. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "position.h"
#include "sampling_tree.h"

/*
 * Kinds of pieces, from the widest: the steps of positions, the machine, and
 * the domain.
 */
enum { MACHINE = TAPE_STEPS_MAX, DOMAIN_, KINDS };

struct leaf {
	const char *switches;
	int machine, domain;
	int shared; /* kinds of pieces that hold the one before it, too */
};

/* Domains in an order in which those of any piece stand together. */
struct leaves {
	struct leaf *leaf;
	int *member; /* of groups */
	int rounds[KINDS];
	struct tape_pair *pairs;
	int n_pairs;
};

/* Levels of a binomial tree of n members. */
static int count_levels(int n)
{
	int l = 0;

	while (1L << l < n)
		l++;
	return l;
}

/* As strcmp, but what is below a step comes before steps with longer names. */
static int compare_positions(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (*a && *b && (*a == '/' || *b == '/'))
		return *a == '/' ? -1 : 1;
	return *a - *b;
}

static int compare_leaves(const void *a, const void *b)
{
	const struct leaf *p = a, *q = b;
	int c = compare_positions(p->switches, q->switches);

	if (!c)
		c = (p->machine > q->machine) - (p->machine < q->machine);
	return c ? c : (p->domain > q->domain) - (p->domain < q->domain);
}

static int compare_members(const void *a, const void *b)
{
	const int *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

static int find_shared_level(const struct leaf *a, const struct leaf *b)
{
	if (strcmp(a->switches, b->switches) != 0)
		return tape_position_depth(
		    a->switches,
		    tape_position_common(a->switches, b->switches));
	return a->machine == b->machine ? DOMAIN_ : MACHINE;
}

/*
 * The binomial tree over n members, of pieces of that kind. The longest step
 * comes first: a member is asked before it asks.
 */
static void add_binomial_tree(struct leaves *l, const int *member, int n,
			      int kind)
{
	for (int i = 1; i < n; i++) {
		struct tape_pair *p = &l->pairs[l->n_pairs++];
		int bit = 0;

		while (!(i >> bit & 1))
			bit++;
		p->by = member[i & (i - 1)];
		p->domain = member[i];
		p->asks = kind; /* for now */
		p->level = count_levels(n) - 1 - bit;
	}
	if (count_levels(n) > l->rounds[kind])
		l->rounds[kind] = count_levels(n);
}

/*
 * Joins the leaves from there to there, which all wider pieces hold. Returns
 * what stands for them: the lowest.
 */
static int join_leaves(struct leaves *l, int from, int to, int kind)
{
	int *member = l->member + from, n = 0;

	if (to - from == 1)
		return l->leaf[from].domain;
	for (int i = from, next; i < to; i = next) {
		for (next = i + 1; next < to && l->leaf[next].shared > kind;)
			next++;
		/* those inside use member[n] and what follows */
		member[n++] = join_leaves(l, i, next, kind + 1);
	}
	qsort(member, (size_t)n, sizeof *member, compare_members);
	add_binomial_tree(l, member, n, kind);
	return member[0];
}

static int compare_levels(const void *a, const void *b)
{
	const struct tape_pair *p = a, *q = b;

	if (p->level != q->level)
		return p->level < q->level ? -1 : 1;
	return (p->domain > q->domain) - (p->domain < q->domain);
}

/* The levels of wider pieces come before those of what is inside. */
static int place_levels(struct leaves *l)
{
	int first[KINDS], all = 0;

	for (int k = 0; k < KINDS; k++) {
		first[k] = all;
		all += l->rounds[k];
	}
	for (int i = 0; i < l->n_pairs; i++)
		l->pairs[i].level += first[l->pairs[i].asks];
	qsort(l->pairs, (size_t)l->n_pairs, sizeof *l->pairs, compare_levels);
	return all;
}

int tape_sampling_tree(const int *domains, int size, const int *machines,
		       const char *const *switches, int n_domains,
		       int reference, struct tape_pair *pairs)
{
	size_t n = (size_t)n_domains;
	struct leaves l = {calloc(n, sizeof *l.leaf),
			   calloc(n, sizeof *l.member),
			   {0},
			   pairs,
			   0};
	int *rank = calloc(n, sizeof *rank), all = TAPE_ENOMEM;

	if (!l.leaf || !l.member || !rank)
		goto out;
	for (int d = 0; d < n_domains; d++)
		l.leaf[d] = (struct leaf){switches[d], machines[d], d, 0};
	qsort(l.leaf, n, sizeof *l.leaf, compare_leaves);
	for (int d = 1; d < n_domains; d++)
		l.leaf[d].shared =
		    find_shared_level(&l.leaf[d - 1], &l.leaf[d]);
	join_leaves(&l, 0, n_domains, 0);
	all = place_levels(&l);
	for (int r = size; r-- > 0;)
		rank[domains[r]] = r;
	rank[0] = reference;
	for (int i = 0; i < l.n_pairs; i++) {
		pairs[i].asks = rank[pairs[i].by];
		pairs[i].answers = rank[pairs[i].domain];
	}
out:
	free(l.leaf);
	free(l.member);
	free(rank);
	return all;
}

int tape_sampling_tree_depth(const struct tape_pair *pairs, int n_domains)
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
