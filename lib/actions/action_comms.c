/* Communicators by number, and tags; see action_comms.h. */
#include <stdlib.h>
#include <string.h>

#include "action_comms.h"
#include "growing_array.h"

/* MPI_COMM_WORLD in traces; the first context of PVM. */
enum { WORLD = 1 };

/* ---- numbers ---- */

/*
 * A PVM group: stores the tasks that use the group, not a member for each rank.
 */
static int set_users(struct tape_action_comm *c,
		     const struct tape_comm_info *info)
{
	c->own = malloc(((size_t)info->size + 1) * sizeof *c->own);
	if (!c->own)
		return TAPE_ENOMEM;
	c->members = c->own;
	c->known = 1;
	c->by_rank = 1;
	for (int i = 0; i < info->size; i++) {
		if (info->members[i] < 0)
			continue;
		c->by_rank &= info->members[i] == c->size;
		c->own[c->size++] = info->members[i];
	}
	return 0;
}

static int set_members(struct tape_action_comm *c,
		       const struct tape_comm_info *info, int tid)
{
	const int *first = info->side == 1 ? info->members : info->own;
	const int *second = info->side == 1 ? info->own : info->members;
	int n_first = info->side == 1 ? info->size : info->own_size;

	if (tid && info->members)
		return set_users(c, info);
	c->inter = info->side >= 0;
	c->size = info->size + (c->inter ? info->own_size : 0);
	c->members = info->members;
	if (c->inter) {
		c->own = malloc(((size_t)c->size + 1) * sizeof *c->own);
		if (!c->own)
			return TAPE_ENOMEM;
		memcpy(c->own, first, (size_t)n_first * sizeof *first);
		memcpy(c->own + n_first, second,
		       (size_t)(c->size - n_first) * sizeof *second);
		c->members = c->own;
	}
	c->known = c->by_rank = 1;
	for (int i = 0; i < c->size; i++) {
		c->known &= c->members[i] >= 0;
		c->by_rank &= c->members[i] == i;
	}
	return 0;
}

static int add_comm(struct tape_action_comms *c,
		    const struct tape_comm_info *info, int tid,
		    uint32_t *number)
{
	struct tape_action_comm *list =
	    tape_grow_array(c->list, &c->room, (size_t)c->n + 1, sizeof *list);

	if (!list)
		return TAPE_ENOMEM;
	c->list = list;
	*number = c->n;
	c->list[c->n] = (struct tape_action_comm){.id = info->id};
	return set_members(&c->list[c->n++], info, tid);
}

static int add_rank_comms(struct tape_action_comms *c, int rank)
{
	const struct tape_rank_info *r = tape_trace_rank(c->t, rank);
	uint32_t *known, number = 0;
	int rc = 0;

	c->number[rank] = calloc(r->n_comms + 1, sizeof **c->number);
	if (!c->number[rank])
		return TAPE_ENOMEM;
	for (size_t i = 1; i < r->n_comms; i++) {
		if (!r->comms[i].index || !r->comms[i].id)
			continue;
		known = tape_table_get(&c->by_id, r->comms[i].id);
		if (!known)
			return TAPE_ENOMEM;
		/* the number plus 1; 0: not seen before */
		if (!*known && r->comms[i].id == WORLD)
			rc = set_members(&c->list[0], &r->comms[i], r->tid);
		else if (!*known)
			rc = add_comm(c, &r->comms[i], r->tid, &number);
		if (rc)
			return rc;
		if (!*known)
			*known = r->comms[i].id == WORLD ? 1 : number + 1;
		c->number[rank][i] = *known;
	}
	return 0;
}

int tape_action_comms_read(struct tape_action_comms *c,
			   const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t);
	int rc = 0;

	*c = (struct tape_action_comms){.t = t};
	c->by_id.bytes = c->tags.bytes = 2 * sizeof(uint32_t);
	c->number = calloc(ranks + 1, sizeof *c->number);
	c->list = calloc(8, sizeof *c->list);
	if (!c->number || !c->list)
		return TAPE_ENOMEM;
	c->room = 8;
	c->n = 1;
	c->list[0].id = WORLD;
	for (size_t r = 0; !rc && r < ranks; r++)
		rc = add_rank_comms(c, (int)r);
	return rc;
}

void tape_action_comms_free(struct tape_action_comms *c)
{
	for (uint32_t i = 0; c->list && i < c->n; i++) {
		free(c->list[i].own);
		free(c->list[i].to_first);
		free(c->list[i].to);
	}
	for (size_t r = 0; c->number && r < tape_trace_ranks(c->t); r++)
		free(c->number[r]);
	free(c->number);
	free(c->list);
	tape_table_free(&c->by_id);
	tape_table_free(&c->tags);
}

struct tape_action_comm *
tape_action_find_comm(const struct tape_action_comms *c, int rank,
		      uint32_t index)
{
	const struct tape_rank_info *r = tape_trace_rank(c->t, rank);

	if (!index || index >= r->n_comms || !c->number[rank][index])
		return NULL;
	return &c->list[c->number[rank][index] - 1];
}

/* ---- neighbours ---- */

/* The communicator in the definitions of a rank; NULL if the rank has none. */
static const struct tape_comm_info *
find_comm_info(const struct tape_action_comms *c, int rank, uint32_t comm)
{
	const struct tape_rank_info *r = tape_trace_rank(c->t, rank);

	for (size_t i = 1; r && i < r->n_comms; i++)
		if (c->number[rank][i] == comm + 1)
			return &r->comms[i];
	return NULL;
}

/*
 * Counts the messages from each source of member i. If next is not NULL, stores
 * i as a destination of each source.
 */
static void add_sources(struct tape_action_comm *c,
			const struct tape_comm_info *info, int i, size_t *next)
{
	for (size_t k = 0; info && k < info->n_sources; k++) {
		int from = info->sources[k];

		if (from < 0 || from >= c->size)
			continue;
		if (next)
			c->to[next[from]++] = i;
		else
			c->to_first[from + 1]++;
	}
}

int tape_action_read_neighbours(struct tape_action_comms *all, uint32_t comm)
{
	struct tape_action_comm *c = &all->list[comm];
	size_t n = (size_t)c->size, *next;

	if (c->to_first)
		return 0;
	c->to_first = calloc(n + 1, sizeof *c->to_first);
	next = calloc(n + 1, sizeof *next);
	if (!c->to_first || !next)
		goto full;
	for (int i = 0; i < c->size; i++)
		add_sources(c, find_comm_info(all, c->members[i], comm), i,
			    NULL);
	for (size_t i = 0; i < n; i++)
		next[i + 1] = c->to_first[i + 1] += c->to_first[i];
	c->to = malloc((c->to_first[n] + 1) * sizeof *c->to);
	if (!c->to)
		goto full;
	for (int i = 0; i < c->size; i++)
		add_sources(c, find_comm_info(all, c->members[i], comm), i,
			    next);
	free(next);
	return 0;
full:
	free(next);
	free(c->to_first);
	c->to_first = NULL;
	return TAPE_ENOMEM;
}

/* ---- tags ---- */

int32_t tape_action_new_tag(struct tape_action_comms *c, uint32_t comm,
			    enum tape_action_tags kind, int32_t tag)
{
	uint64_t key =
	    (uint64_t)comm << 34 | (uint64_t)kind << 32 | (uint32_t)tag;
	uint32_t *known;

	/* 0 is no key, nor a number here: that of the world is its own tag */
	known = tape_table_get(&c->tags, key ? key : UINT64_MAX);
	if (!known || (!*known && c->n_tags == INT32_MAX - TAPE_OWN_TAGS))
		return -1;
	if (!*known)
		*known = ++c->n_tags;
	return (int32_t)(TAPE_OWN_TAGS - 1 + *known);
}
