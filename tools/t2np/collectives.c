/* Collectives of one group to records; see translate_state.h. */
#include <stdio.h>

#include "translate_state.h"

/* No subset: the collective becomes a user task. */
#define NO_SUBSET (-2)

/* Returns the event type of a collective; 0: New PICL has none. */
static int32_t collective_evttype(unsigned call)
{
	switch (tape_call_base(call)) {
	case TAPE_CALL_MPI_Barrier:
	case TAPE_CALL_pvm_barrier:
		return PICL_BARRIER;
	case TAPE_CALL_MPI_Allgather:
	case TAPE_CALL_MPI_Allgatherv:
		return PICL_ALLGATHER;
	case TAPE_CALL_MPI_Allreduce:
		return PICL_ALLREDUCE;
	case TAPE_CALL_MPI_Alltoall:
	case TAPE_CALL_MPI_Alltoallv:
	case TAPE_CALL_MPI_Alltoallw:
		return PICL_ALLTOALL;
	case TAPE_CALL_MPI_Bcast:
		return PICL_BCAST;
	case TAPE_CALL_MPI_Gather:
	case TAPE_CALL_MPI_Gatherv:
	case TAPE_CALL_pvm_gather:
		return PICL_GATHER;
	case TAPE_CALL_MPI_Reduce:
	case TAPE_CALL_pvm_reduce:
		return PICL_REDUCE;
	case TAPE_CALL_MPI_Reduce_scatter:
	case TAPE_CALL_MPI_Reduce_scatter_block:
		return PICL_REDUCE_SCATTER;
	case TAPE_CALL_MPI_Scan:
	case TAPE_CALL_MPI_Exscan:
		return PICL_SCAN;
	case TAPE_CALL_MPI_Scatter:
	case TAPE_CALL_MPI_Scatterv:
	case TAPE_CALL_pvm_scatter:
		return PICL_SCATTER;
	default:
		return 0;
	}
}

/* ---- subsets ---- */

/*
 * Returns 1 if all users of the communicator take part in each collective. A
 * PVM barrier may have more users: it is complete when the number of tasks in
 * its name has arrived.
 */
static int all_members_meet(const struct tape_comm_info *c)
{
	int count, users = 0;

	if (sscanf(c->name, "barrier-%d-", &count) != 1)
		return 1;
	for (int i = 0; i < c->size; i++)
		users += c->members[i] >= 0;
	return users <= count;
}

static int is_world(const struct translate *t, const struct tape_comm_info *c)
{
	if ((size_t)c->size != t->n_nodes)
		return 0;
	for (int i = 0; i < c->size; i++)
		if (c->members[i] < 0)
			return 0;
	return 1;
}

/* Returns the subset of a communicator. Intercommunicators, and barriers whose
 * members vary, are no subset. */
static int32_t find_subset(struct translate *t, const struct tape_event *e,
			   const struct tape_comm_info *c)
{
	int is_new;
	int32_t n;

	if (!c || c->side >= 0)
		return NO_SUBSET;
	if (tape_trace_rank(t->trace, e->rank)->tid && !all_members_meet(c))
		return NO_SUBSET;
	if (is_world(t, c))
		return PICL_ALL;
	n = names_number(t->subsets, &c->id, sizeof c->id, &is_new);
	if (is_new)
		picl_subset(t->out, t->horizon, n, c->members, c->size);
	return n;
}

/*
 * Returns the subset of nodes of a rank's communicator. It is defined at first
 * use, and cached for each rank, as a number above 0.
 */
static int32_t get_subset(struct translate *t, const struct tape_event *e,
			  uint32_t comm)
{
	size_t n = tape_trace_rank(t->trace, e->rank)->n_comms;
	int32_t **known = &t->nodes[e->rank].subsets;

	if (comm >= n)
		return NO_SUBSET;
	if (!*known)
		*known = allocate_zeroed(n, sizeof **known);
	if (!(*known)[comm])
		(*known)[comm] =
		    find_subset(t, e, find_rank_comm(t, e->rank, comm)) -
		    NO_SUBSET + 1;
	return (*known)[comm] + NO_SUBSET - 1;
}

/* ---- records ---- */

/* Returns the node of the root. In PVM the root is a task or a member number.
 */
static int32_t root_node(const struct translate *t, const struct tape_event *e)
{
	const struct tape_coll *u = &e->u.coll;
	int32_t node = peer_node(t, e->rank, u->comm, u->root);
	const struct tape_comm_info *c;

	if (node >= 0 || !tape_trace_rank(t->trace, e->rank)->tid)
		return node;
	c = find_rank_comm(t, e->rank, u->comm);
	return c && u->root >= 0 && u->root < c->size ? c->members[u->root]
						      : -1;
}

/*
 * Adds a collective with a root. The entry has the bytes that the node sends,
 * the exit those that it receives; -1: only the other side sends or receives.
 */
static int add_rooted(struct translate *t, const struct tape_event *e,
		      struct pair *p, int32_t group)
{
	const struct tape_coll *u = &e->u.coll;
	int32_t root = root_node(t, e);
	int at_root = root == e->rank;
	int from = tape_call_shape(e->call) == TAPE_SHAPE_FROM;

	if (root < 0)
		return 0;
	p->n_in = 3;
	p->in[0] = from && !at_root ? -1 : picl_bytes(u->bytes);
	p->in[1] = root;
	p->in[2] = group;
	p->n_out = 1;
	p->out[0] = !from && !at_root ? -1 : picl_bytes(u->rbytes);
	/* the root of a broadcast has the data, too */
	if (p->evttype == PICL_BCAST && at_root)
		p->out[0] = picl_bytes(u->bytes);
	add_pair(t, e, p);
	return 1;
}

int convert_collective(struct translate *t, const struct tape_event *e)
{
	const struct tape_coll *u = &e->u.coll;
	struct pair p = {.evttype = collective_evttype(e->call),
			 .from = e->start_ns,
			 .to = e->end_ns};
	enum tape_shape shape = tape_call_shape(e->call);
	int32_t group = p.evttype ? get_subset(t, e, u->comm) : NO_SUBSET;

	if (group == NO_SUBSET || u->part == TAPE_PART_BEGINNING)
		return 0;
	if (shape == TAPE_SHAPE_FROM || shape == TAPE_SHAPE_TO)
		return add_rooted(t, e, &p, group);
	if (p.evttype != PICL_BARRIER) {
		p.in[p.n_in++] = picl_bytes(u->bytes);
		p.out[p.n_out++] = group;
	}
	p.in[p.n_in++] = group;
	add_pair(t, e, &p);
	return 1;
}
