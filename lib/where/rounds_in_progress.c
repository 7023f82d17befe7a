/* The collectives that ranks are in, and who is missing; see wait_graph.h. */
#include <stdlib.h>

#include "sort.h"
#include "tool.h"
#include "wait_graph.h"

/* A rank in a collective. */
struct inside {
	uint64_t comm, k;
	int rank;
};

static int compare_inside(const void *a, const void *b)
{
	const struct inside *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->k != y->k)
		return x->k < y->k ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static const struct where_flow *get_collective(const struct where_states *s,
					       int rank)
{
	const struct where_flow *f = where_flow_of(s, rank);

	return f && f->state == WHERE_IN_CALL && f->call.comm &&
			       where_is_collective(f->call.call, f->call.class_)
		       ? f
		       : NULL;
}

/* The rank's number for the communicator; 0: it has none. */
static uint32_t find_comm(const struct where_states *s, int rank, uint64_t id)
{
	const struct tape_rank_info *r = tape_trace_rank(s->t, rank);

	for (uint32_t i = 1; r && i < r->n_comms; i++)
		if (r->comms[i].index && r->comms[i].id == id)
			return i;
	return 0;
}

/* Are these calls of one collective? */
static int is_same_call(unsigned a, int32_t a_root, unsigned b, int32_t b_root)
{
	return tape_call_base(a) == tape_call_base(b) && a_root == b_root;
}

/* Compares the member, which is in the round or has left it, with the first. */
static void compare_member(struct wait_graph *g, struct wait_round *round,
			   int member, uint64_t calls, uint32_t index)
{
	const struct where_states *s = g->s;
	const struct where_flow *first = get_collective(s, round->rank);
	const struct where_flow *f = get_collective(s, member);
	const struct where_rounds *k = where_rounds_of(s, member, index);

	if (round->odd[0] >= 0 || !first || s->is_pvm || s->is_partial ||
	    s->rank[member].is_uncertain || s->rank[round->rank].is_uncertain)
		return;
	if (calls == round->k && f &&
	    !is_same_call(first->call.call, first->call.peer, f->call.call,
			  f->call.peer)) {
		round->odd[0] = round->rank;
		round->odd[1] = member;
	} else if (calls == round->k + 1 &&
		   !is_same_call(first->call.call, first->call.peer,
				 k->last_call, k->last_root)) {
		round->odd[0] = round->rank;
		round->odd[1] = member;
		round->odd_has_ended = 1;
	}
}

static void find_missing(struct wait_graph *g, struct wait_round *round)
{
	const struct where_states *s = g->s;
	const struct tape_comm_info *c =
	    &tape_trace_rank(s->t, round->rank)->comms[round->index];

	round->odd[0] = round->odd[1] = -1;
	if (c->side >= 0 || c->size <= 0 || !c->members)
		return;
	round->missing =
	    tape_must(calloc((size_t)c->size, sizeof *round->missing));
	for (int i = 0; i < c->size; i++) {
		int member = c->members[i];
		const struct where_flow *f;
		uint64_t calls = 0;
		uint32_t index;

		if (member < 0 || (size_t)member >= s->n_ranks)
			continue;
		index = find_comm(s, member, round->comm);
		if (index)
			calls = where_rounds_of(s, member, index)->calls;
		f = get_collective(s, member);
		if (f && (!index || f->call.comm != index))
			f = NULL;
		if (calls < round->k || (calls == round->k && !f))
			round->missing[round->n_missing++] = member;
		else if (index)
			compare_member(g, round, member, calls, index);
		round->n_inside += calls == round->k && f;
	}
}

void wait_graph_find_rounds(struct wait_graph *g)
{
	const struct where_states *s = g->s;
	struct inside *list = tape_must(calloc(s->n_ranks + 1, sizeof *list));
	size_t n = 0;

	g->round = tape_must(calloc(s->n_ranks + 1, sizeof *g->round));
	g->round_of = tape_must(calloc(s->n_ranks + 1, sizeof *g->round_of));
	for (size_t k = 0; k < s->n_ranks; k++) {
		const struct where_flow *f = get_collective(s, (int)k);

		if (f)
			list[n++] = (struct inside){
			    where_comm_id(s, (int)k, f->call.comm),
			    where_rounds_of(s, (int)k, f->call.comm)->calls,
			    (int)k};
	}
	tape_sort(list, n, sizeof *list, compare_inside);
	for (size_t i = 0; i < n; i++) {
		if (!i || list[i].comm != list[i - 1].comm ||
		    list[i].k != list[i - 1].k) {
			struct wait_round *r = &g->round[g->n_rounds++];

			r->comm = list[i].comm;
			r->k = list[i].k;
			r->rank = list[i].rank;
			r->index = where_flow_of(s, r->rank)->call.comm;
		}
		g->round_of[list[i].rank] = g->n_rounds;
	}
	free(list);
	for (size_t i = 0; i < g->n_rounds; i++)
		find_missing(g, &g->round[i]);
}

int wait_round_is_strict(const struct where_states *s,
			 const struct where_flow *f)
{
	unsigned traits = tape_call_traits(f->call.call);

	(void)s;
	if (f->call.class_ != TAPE_CLASS_COLL)
		return f->call.class_ == TAPE_CLASS_COMM_NEW &&
		       !(traits & TAPE_TRAIT_INDEPENDENT);
	if (traits & (TAPE_TRAIT_UNEVEN | TAPE_TRAIT_SPLIT_BEGIN |
		      TAPE_TRAIT_SPLIT_END))
		return 0;
	/* without data a library may leave at once */
	return f->call.elements || (traits & TAPE_TRAIT_SYNCHRONISING);
}
