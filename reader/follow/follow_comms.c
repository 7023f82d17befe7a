/*
 * Communicators of a trace that is followed: who is in them, put together bit
 * by bit; see follow_state.h. groups.c does that where all is there.
 */
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "follow_state.h"

static int are_all_known(const int *members, int n)
{
	int i = 0;

	while (members && i < n && members[i] >= 0)
		i++;
	return i == n;
}

struct comm_key {
	uint64_t id;
	int sided;
};

/* Slots at first. */
enum { SHARED_LEAST = 1024 };

static int is_used(const struct shared_comm *k)
{
	return k->id != 0;
}

static struct comm_key get_key(const void *own, const struct shared_comm *k)
{
	(void)own;
	return (struct comm_key){k->id, k->sided};
}

static uint64_t hash_comm(struct comm_key key)
{
	return tape_spread_bits(key.id) >> 20;
}

static int is_equal_comm(struct comm_key a, struct comm_key b)
{
	return a.id == b.id && a.sided == b.sided;
}

TAPE_SLOTS(shared_comms, struct shared_comm, const void *, struct comm_key,
	   is_used, get_key, hash_comm, is_equal_comm)

/* No more than there are ranks, whatever a file says. */
static int *alloc_members(const struct tape_trace *t, int size, size_t *n)
{
	int *m;

	*n = size > 0 && (size_t)size < t->n_ranks ? (size_t)size : t->n_ranks;
	m = malloc((*n + 1) * sizeof *m);
	for (size_t i = 0; m && i < *n; i++)
		m[i] = -1;
	return m;
}

/* The communicator as that rank sees it. */
static int share_comm(struct tape_trace *t, int rank, struct tape_comm_info *c)
{
	struct tape_follow *w = t->follow;
	int own = c->side > 0, other = c->side == 0;
	struct shared_comm *k;

	if (shared_comms_reserve(NULL, &w->shared, SHARED_LEAST))
		return -1;
	k = shared_comms_find(NULL, &w->shared,
			      (struct comm_key){c->id, c->side >= 0});
	if (!k->id) {
		k->id = c->id;
		k->sided = c->side >= 0;
		w->shared.used++;
	}
	if (!k->members[own] &&
	    !(k->members[own] = alloc_members(t, c->own_size, &k->size[own])))
		return -1;
	if (!k->members[other] &&
	    !(k->members[other] = alloc_members(t, c->size, &k->size[other])))
		return -1;
	if ((size_t)c->rank < k->size[own])
		k->members[own][c->rank] = rank;
	c->own = k->members[own];
	c->members = k->members[other];
	if ((size_t)c->own_size > k->size[own])
		c->own_size = (int)k->size[own];
	if ((size_t)c->size > k->size[other])
		c->size = (int)k->size[other];
	return 0;
}

int tape_follow_share_members(struct tape_trace *t)
{
	for (size_t r = 0; r < t->n_ranks; r++) {
		struct tape_rank *k = &t->ranks[r];

		while (k->comms_shared < k->top_comm &&
		       k->comms[k->comms_shared + 1].members)
			k->comms_shared++;
		for (uint32_t i = k->comms_shared + 1; i <= k->top_comm; i++)
			if (k->comms[i].index && !k->comms[i].members &&
			    share_comm(t, (int)r, &k->comms[i]))
				return tape_trace_no_memory(t);
	}
	return 0;
}

int tape_trace_settle_comms(struct tape_trace *t)
{
	return t->follow ? tape_follow_share_members(t) : 0;
}

static int has_all_members(const struct tape_comm_info *c)
{
	return c->index && are_all_known(c->members, c->size) &&
	       are_all_known(c->own, c->own_size);
}

/* Waits for its members, until they have all defined it or no more comes. */
static void await_members(struct tape_flow *f, const struct tape_comm_info *c)
{
	const struct tape_following *by = &f->t->follow->by;
	int over = 0;

	while (!tape_follow_read_all(f) && c->index) {
		if (tape_follow_share_members(f->t)) {
			tape_flow_fail(f, TAPE_EFORMAT, "%s", f->t->error);
			return;
		}
		/* PVM tasks appear one at a time, all in one communicator */
		if (over || f->rank->info.tid || has_all_members(c))
			return;
		/* what they defined before it was over may have come since */
		over = !by->wait || by->wait(by->self, f->index);
	}
}

void tape_follow_new_comm(struct tape_flow *f, uint32_t comm)
{
	const struct tape_follow *w = f->t->follow;
	unsigned char *settled = w->settled[f->rank->info.rank];
	const struct tape_comm_info *c;

	if (!comm || comm >= f->rank->info.n_comms || comm >= w->ids ||
	    settled[comm])
		return;
	c = &f->rank->comms[comm];
	/* its line may have been read before those after it were written: that
	 * of its two groups, and of its neighbours */
	if (tape_follow_read_own(f))
		return;
	/* where another flow waited for them, the files of all need not be
	 * looked at once more for each: that would be ranks times ranks */
	if (!has_all_members(c))
		await_members(f, c);
	settled[comm] = c->index != 0;
}

void tape_follow_created_comm(struct tape_flow *f, unsigned call,
			      const union tape_fields *u)
{
	unsigned own = TAPE_TRAIT_BY_GROUP | TAPE_TRAIT_BY_TAG;
	uint32_t made;

	if (!(tape_call_traits(call) & own))
		return;
	memcpy(&made, (const char *)u + f->t->at[tape_call_class(call)].newcomm,
	       sizeof made);
	tape_follow_new_comm(f, made);
}

void tape_follow_free_comms(struct tape_follow *w)
{
	for (size_t i = 0; w->shared.list && i <= w->shared.mask; i++) {
		free(w->shared.list[i].members[0]);
		free(w->shared.list[i].members[1]);
	}
	free(w->shared.list);
}
