/*
 * Who belongs together: intercommunicators, neighbours, groups; the members
 * of each communicator, put together from all ranks.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "sort.h"
#include "trace.h"

/* ---- lines of rank files ---- */

/* A communicator, defined above, has two groups. */
int tape_trace_read_inter(struct tape_trace *t, struct tape_rank *r,
			   const struct tape_text *x, char *rest)
{
	uint64_t index, side, size;
	struct tape_comm_info *c;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    index >= r->info.n_comms || !r->comms[index].index ||
	    r->comms[index].side >= 0 ||
	    tape_text_u64(tape_text_word(&rest), 10, &side) || side > 1 ||
	    tape_text_u64(tape_text_word(&rest), 10, &size) || !size ||
	    size > TAPE_IDS_MAX)
		return bad_line(t, x, "bad intercommunicator");
	c = &r->comms[index];
	/* it was read, and maybe shared, without this line */
	c->members = c->own = NULL;
	if (r->comms_shared >= index)
		r->comms_shared = (uint32_t)index - 1;
	c->side = (int)side;
	c->own_size = (int)size;
	return 0;
}

/* Appends ranks below limit, or -1, to *list. */
static int read_ranks(struct tape_trace *t, const struct tape_text *x,
		      char *rest, int64_t limit, int **list, size_t *n)
{
	char *w;

	while ((w = tape_text_word(&rest))) {
		int64_t v;
		int *grown;

		if (tape_text_i64(w, &v))
			return bad_line(t, x, "bad list of ranks");
		grown = tape_grow_list(*list, *n, sizeof *grown);
		if (!grown)
			return tape_trace_no_memory(t);
		*list = grown;
		grown[(*n)++] = v < 0 || v >= limit ? -1 : (int)v;
	}
	return 0;
}

int tape_trace_read_sources(struct tape_trace *t, struct tape_rank *r,
			   const struct tape_text *x, char *rest)
{
	struct tape_comm_info *c;
	uint64_t index;
	int *list, rc;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    index >= r->info.n_comms || !r->comms[index].index)
		return bad_line(t, x, "neighbours without a communicator");
	c = &r->comms[index];
	list = (int *)c->sources;
	rc = read_ranks(t, x, rest, TAPE_IDS_MAX, &list, &c->n_sources);
	c->sources = list;
	return rc;
}

int tape_trace_read_group(struct tape_trace *t, struct tape_rank *r,
			   const struct tape_text *x, char *rest)
{
	struct tape_group_info *g;
	uint64_t id;
	int *list, rc;

	if (tape_text_u64(tape_text_word(&rest), 10, &id) ||
	    !is_plausible_id(x, id))
		return bad_line(t, x, "bad group");
	g = tape_reserve_id(t, r->groups, &r->info.n_groups, id, sizeof *g);
	if (!g)
		return tape_trace_no_memory(t);
	r->groups = g;
	if (id > r->top_group)
		r->top_group = (uint32_t)id;
	g += id;
	list = (int *)g->ranks;
	rc = read_ranks(t, x, rest,
			r->info.tid ? (int64_t)INT_MAX + 1
				    : (int64_t)t->n_ranks, &list, &g->n);
	g->ranks = list;
	return rc;
}

/* ---- members ---- */

/* Members that need not have defined their communicators. */
#define MEMBERS_FREE ((size_t)1 << 24)

struct ref {
	uint64_t id;
	int rank;                 /* world */
	struct tape_comm_info *c; /* its view */
};

static int compare_refs(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->c->side != y->c->side)
		return x->c->side - y->c->side;
	return x->rank - y->rank;
}

/* The groups of one identity: [0] and [1] by side, [0] also without sides. */
struct group {
	size_t size;
	int *members;
};

/*
 * Sizes of both groups, as the refs have them, bounded by the size of the
 * world: a file cannot claim more.
 */
static void measure_groups(const struct tape_trace *t, const struct ref *refs,
			   size_t n, struct group *g)
{
	for (size_t k = 0; k < n; k++) {
		const struct tape_comm_info *c = refs[k].c;
		int own = c->side > 0, other = c->side == 0;

		if ((size_t)c->own_size > g[own].size)
			g[own].size = (size_t)c->own_size;
		if ((size_t)c->size > g[other].size)
			g[other].size = (size_t)c->size;
	}
	for (int i = 0; i < 2; i++)
		if (g[i].size > t->n_ranks)
			g[i].size = t->n_ranks;
}

static void assign_members(struct ref *refs, size_t n, const struct group *g)
{
	for (size_t k = 0; k < n; k++) {
		struct tape_comm_info *c = refs[k].c;
		const struct group *own = &g[c->side > 0];
		const struct group *other = &g[c->side == 0];

		if ((size_t)c->rank < own->size)
			own->members[c->rank] = refs[k].rank;
		c->own = own->members;
		c->members = other->members;
		if ((size_t)c->own_size > own->size)
			c->own_size = (int)own->size;
		if ((size_t)c->size > other->size)
			c->size = (int)other->size;
	}
}

/* Members by n refs of one identity, all with sides or all without. */
static int share_group_members(struct tape_trace *t, struct ref *refs, size_t n,
			       size_t *sum, size_t all)
{
	struct group g[2] = { { 0, NULL }, { 0, NULL } };

	measure_groups(t, refs, n, g);
	*sum += g[0].size + g[1].size;
	if (*sum > MEMBERS_FREE && *sum / 64 > all)
		return tape_trace_fail(t, TAPE_EFORMAT,
				       "%s: the communicators have more "
				       "members than the ranks declare",
				       t->path);
	for (int i = 0; i < 2; i++) {
		if (!g[i].size)
			continue;
		g[i].members = malloc(g[i].size * sizeof *g[i].members);
		if (!g[i].members)
			return tape_trace_no_memory(t);
		t->members[t->n_members++] = g[i].members;
		for (size_t k = 0; k < g[i].size; k++)
			g[i].members[k] = -1;
	}
	assign_members(refs, n, g);
	return 0;
}

/*
 * One array of members for each group of each identity, from all ranks. The
 * number of ranks that claim a size bounds it.
 */
int tape_trace_share_members(struct tape_trace *t)
{
	size_t n = 0, at = 0, sum = 0;
	struct ref *refs;
	int rc = 0;

	for (size_t r = 0; r < t->n_ranks; r++)
		for (size_t i = 0; i < t->ranks[r].info.n_comms; i++)
			n += t->ranks[r].comms[i].index != 0;
	refs = malloc((n + 1) * sizeof *refs);
	t->members = calloc(2 * n + 1, sizeof *t->members);
	if (!refs || !t->members) {
		free(refs);
		return tape_trace_no_memory(t);
	}
	for (size_t r = 0; r < t->n_ranks; r++)
		for (size_t i = 0; i < t->ranks[r].info.n_comms; i++)
			if (t->ranks[r].comms[i].index)
				refs[at++] = (struct ref){
					t->ranks[r].comms[i].id, (int)r,
					&t->ranks[r].comms[i] };
	tape_sort(refs, n, sizeof *refs, compare_refs);
	for (size_t i = 0, j; !rc && i < n; i = j) {
		for (j = i + 1; j < n && refs[j].id == refs[i].id &&
				(refs[j].c->side < 0) == (refs[i].c->side < 0);
		     j++)
			;
		rc = share_group_members(t, &refs[i], j - i, &sum, n);
	}
	free(refs);
	return rc;
}
