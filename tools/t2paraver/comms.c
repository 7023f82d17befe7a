/* Communicators of a .prv; see comms.h. */
#include <stdlib.h>

#include "comms.h"
#include "sort.h"
#include "tool.h"

struct paraver_comms {
	const struct tape_trace *t;
	const struct tape_comm_info **list; /* by id, each once */
	size_t n;
};

static int order_comms_by_id(const void *a, const void *b)
{
	const struct tape_comm_info *x = *(const struct tape_comm_info *const *)
						 a;
	const struct tape_comm_info *y = *(const struct tape_comm_info *const *)
						 b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Returns 1 if k is a communicator: windows and files have no members. */
static int is_defined(const struct tape_rank_info *r, uint32_t k)
{
	return !r->tid && k && k < r->n_comms && r->comms[k].index &&
	       r->comms[k].size > 0;
}

struct paraver_comms *paraver_comms_new(const struct tape_trace *t)
{
	struct paraver_comms *c = calloc(1, sizeof *c);
	int ranks = (int)tape_trace_ranks(t);
	size_t all = 1, n = 0;

	for (int i = 0; i < ranks; i++)
		all += tape_trace_rank(t, i)->n_comms;
	if (c)
		c->list = calloc(all, sizeof(struct tape_comm_info *));
	if (!c || !c->list)
		tape_die_no_memory();
	c->t = t;
	for (int i = 0; i < ranks; i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, i);

		for (uint32_t k = 1; k < r->n_comms; k++)
			if (is_defined(r, k))
				c->list[n++] = &r->comms[k];
	}
	tape_sort(c->list, n, sizeof(struct tape_comm_info *),
		  order_comms_by_id);
	for (size_t i = 0; i < n; i++)
		if (!c->n || c->list[c->n - 1]->id != c->list[i]->id)
			c->list[c->n++] = c->list[i];
	return c;
}

void paraver_comms_free(struct paraver_comms *c)
{
	free(c->list);
	free(c);
}

unsigned paraver_comm(const struct paraver_comms *c, int rank, uint32_t comm)
{
	const struct tape_rank_info *r = tape_trace_rank(c->t, rank);
	const struct tape_comm_info *key;
	const struct tape_comm_info **found;

	if (!is_defined(r, comm))
		return 0;
	key = &r->comms[comm];
	found = tape_search(&key, c->list, c->n, sizeof key, order_comms_by_id);
	return found ? (unsigned)(found - c->list) + 1 : 0;
}

static int count_known_members(const int *members, int size)
{
	int n = 0;

	for (int i = 0; i < size; i++)
		n += members[i] >= 0;
	return n;
}

static void put_members(const int *members, int size, FILE *f)
{
	for (int i = 0; i < size; i++)
		if (members[i] >= 0)
			fprintf(f, ":%d", members[i] + 1);
}

void paraver_comms_put(const struct paraver_comms *c, FILE *f)
{
	fprintf(f, ",%zu\n", c->n);
	for (size_t i = 0; i < c->n; i++) {
		const struct tape_comm_info *o = c->list[i];
		int two = o->side >= 0;

		fprintf(
		    f, "c:1:%zu:%d", i + 1,
		    count_known_members(o->members, o->size) +
			(two ? count_known_members(o->own, o->own_size) : 0));
		if (two)
			put_members(o->own, o->own_size, f);
		put_members(o->members, o->size, f);
		putc('\n', f);
	}
}
