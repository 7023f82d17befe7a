/*
 * What several ranks do together: collectives, files, windows; see
 * outstanding.h.
 */
#include <stdlib.h>
#include <string.h>

#include "outstanding.h"
#include "pvm_groups.h"

/* ---- collectives ---- */

/* Of a communicator that the rank has; NULL: out of memory. */
static struct comm_state *state_of(struct tape_ops *o, uint32_t comm)
{
	struct shared *s = o->s;
	size_t n = comm < 4 ? 4 : 2 * (size_t)comm;
	struct comm_state *grown;

	if (comm < s->n_comms)
		return &s->comms[comm];
	grown = realloc(s->comms, n * sizeof *grown);
	if (!grown)
		return NULL;
	memset(grown + s->n_comms, 0, (n - s->n_comms) * sizeof *grown);
	s->comms = grown;
	s->n_comms = n;
	return &grown[comm];
}

/* How many members of both groups are in the trace. */
static int32_t known_members(struct comm_state *s,
			     const struct tape_comm_info *c)
{
	int32_t *known = &s->known;

	if (*known)
		return *known - 1;
	*known = 1;
	for (int i = 0; i < c->size; i++)
		*known += c->members[i] >= 0;
	for (int i = 0; c->side >= 0 && i < c->own_size; i++)
		*known += c->own[i] >= 0;
	return *known - 1;
}

/* Between two groups; the numbers of group 0 come first. */
static void enter_inter(struct tape_request *r, const struct tape_comm_info *c,
			int root)
{
	int own = c->side ? c->size : 0, other = c->side ? 0 : c->own_size;

	r->size = c->size + c->own_size;
	r->rank = own + c->rank;
	r->last = r->size;
	if (root >= 0)
		r->root = tape_ops_world(c, root) < 0 ? -1 : other + root;
	else
		r->root = root == TAPE_ROOT ? r->rank : -1;
	/* what comes together at a root comes from the other group */
	if (r->shape == TAPE_SHAPE_TO) {
		r->first = other;
		r->last = other + c->size;
	}
}

/* A task, which is a member by its rank, or the number of a member. */
static int find_root_rank(const struct tape_ops *o,
			  const struct tape_comm_info *c, int root)
{
	int rank = o->rank->tid ? tape_trace_task(o->trace, root) : -1;

	if (rank < 0)
		rank = root;
	return tape_ops_world(c, rank) < 0 ? -1 : rank;
}

/*
 * Bytes by which a call tells whether its rank waits for others: those that it
 * receives. With a root the one side tells as much as the other.
 */
static uint64_t bytes_awaited(unsigned call, uint64_t sent, uint64_t received)
{
	enum tape_shape shape = tape_call_shape(call);
	int has_root = shape == TAPE_SHAPE_FROM || shape == TAPE_SHAPE_TO;

	return received | (has_root ? sent : 0);
}

/*
 * Does the collective r, which moves data, give its rank nothing, or perhaps
 * nothing from some members?
 *
 * Zero counts, and counts that differ, are allowed so (MPI-3.1, chapter 5 and
 * 7.6; MPI-4.0 the same of its persistent and large forms). In gatherv,
 * allgatherv, alltoallv and alltoallw each pair has a size of its own (trait
 * uneven); so have the neighbours. Scatterv and reduce_scatter have one for
 * each member that receives. All others of one group have the same count
 * everywhere, but between two groups allgather and alltoall may move data one
 * way only, and neighbours the same in one direction only. Who receives
 * something waits for the root, or for all whose data it is made of; who
 * receives nothing may leave at once, whatever it sends. Between two groups
 * nobody has to wait for its own group (5.3 of the barrier, 5.2.3), although
 * libraries may.
 */
static int may_get_nothing(const struct tape_comm_info *c,
			   const struct tape_request *r, uint64_t awaited)
{
	unsigned traits = tape_call_traits(r->call);

	if (c->side >= 0 && r->shape == TAPE_SHAPE_ALL)
		return 1;
	if (traits & TAPE_TRAIT_SYNCHRONISING)
		return 0;
	return !awaited || (traits & TAPE_TRAIT_UNEVEN &&
			    r->shape != TAPE_SHAPE_FROM);
}

/*
 * Is the new communicator one of which this rank is no member, or the only one?
 * Libraries make such ones without asking others (MPI_Cart_sub that keeps no
 * dimension, MPI_Cart_create without any, MPI_Graph_create without nodes).
 */
static int is_made_alone(const struct tape_ops *o, uint32_t comm)
{
	const struct tape_comm_info *c = tape_ops_comm(o, comm);

	return !comm || (c && c->side < 0 && c->size <= 1);
}

/*
 * May the event in progress end before others have begun? To free a
 * communicator takes nobody else, and of a file each may have its own part
 * (MPI-3.1, 6.4.3 and 13.6.1: it depends on the library).
 */
static int is_weak(const struct tape_ops *o, const struct tape_comm_info *c,
		   const struct tape_request *r)
{
	const struct tape_event *e = o->e;

	switch (e->class_) {
	case TAPE_CLASS_COLL:
		return !o->rank->tid &&
		       may_get_nothing(c, r,
				       bytes_awaited(r->call, e->u.coll.bytes,
						     e->u.coll.rbytes));
	case TAPE_CLASS_ICOLL:
		return may_get_nothing(c, r,
				       bytes_awaited(r->call, e->u.icoll.bytes,
						     e->u.icoll.rbytes));
	case TAPE_CLASS_START: /* of one that is persistent */
		return may_get_nothing(c, r, r->bytes);
	case TAPE_CLASS_COMM_NEW:
		return is_made_alone(o, e->u.comm_new.newcomm);
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
		return 1;
	default:
		return 0;
	}
}

/*
 * May the event in progress end before others have begun, as MPI has it? It may
 * where it needs nothing from them, also where libraries agree on a number for
 * the new communicator first (MPI-3.1, 5.1 and 6.4.2). A communicator of two
 * groups is made of what both pass. Who meets at a barrier of PVM's is a guess
 * (pvm_groups.h).
 */
static int may_leave_early(const struct tape_comm_info *c,
			   const struct tape_request *r)
{
	unsigned traits = tape_call_traits(r->call);

	return r->weak || traits & TAPE_TRAIT_BY_COUNT ||
	       (c->side < 0 && traits & TAPE_TRAIT_INDEPENDENT);
}

static int enter_collective(struct tape_ops *o, struct tape_request *r,
			    uint32_t comm, int root)
{
	const struct tape_comm_info *c = tape_ops_comm(o, comm);
	const struct tape_meeting *meeting;
	struct comm_state *s;

	if (!c)
		return 0;
	r->is_coll = 1;
	r->active = 1;
	if (tape_channels_has(&o->s->channels, TAPE_CHANNEL_COLL, comm, 0)) {
		o->s->left_out++;
		r->left_out = 1;
		return 0;
	}
	r->comm = comm;
	r->key.comm = c->id;
	s = state_of(o, comm);
	if (!s)
		return TAPE_ENOMEM;
	r->k = s->rounds++;
	r->shape = tape_call_shape(r->call);
	if (r->shape == TAPE_SHAPE_NONE)
		r->shape = TAPE_SHAPE_ALL;
	r->weak = is_weak(o, c, r);
	r->may_leave_early = may_leave_early(c, r);
	r->known = known_members(s, c);
	meeting = tape_pvm_groups_find(o->s->pvm_groups, o->world, comm, r->k);
	if (meeting) {
		r->k = meeting->k;
		r->known = meeting->n;
	}
	r->first = 0;
	if (c->side >= 0) {
		enter_inter(r, c, root);
	} else {
		r->size = r->last = c->size;
		r->rank = c->rank;
		r->root = find_root_rank(o, c, root);
	}
	r->sources = c->sources;
	r->n_sources = c->n_sources;
	r->posted = 1;
	return tape_ops_add(o, TAPE_OP_ENTER, r) ? 0 : TAPE_ENOMEM;
}

int tape_ops_leave(struct tape_ops *o, struct tape_request *r)
{
	if (!r->posted)
		return tape_ops_end_left_out(o, r);
	return tape_ops_add(o, TAPE_OP_LEAVE, r) ? 0 : TAPE_ENOMEM;
}

int tape_ops_collective(struct tape_ops *o, uint32_t comm, int root)
{
	struct tape_request *r = tape_ops_blocking(o);
	int rc = r ? enter_collective(o, r, comm, root) : TAPE_ENOMEM;

	if (rc)
		return rc;
	if (r->posted)
		o->l->op[o->l->n - 1].blocking = 1;
	return tape_ops_leave(o, r);
}

int tape_ops_begin_collective(struct tape_ops *o, uint32_t comm, int root)
{
	struct tape_request *r = tape_ops_create(o);

	return r ? enter_collective(o, r, comm, root) : TAPE_ENOMEM;
}

int tape_ops_coll_init(struct tape_ops *o, const struct tape_icoll *u)
{
	struct tape_request *r = tape_ops_create(o);

	if (!r)
		return TAPE_ENOMEM;
	r->is_coll = r->persistent = 1;
	r->comm = u->comm;
	r->peer = u->root;
	r->bytes = bytes_awaited(r->call, u->bytes, u->rbytes);
	return 0;
}

int tape_ops_coll_start(struct tape_ops *o, struct tape_request *r)
{
	return enter_collective(o, r, r->comm, r->peer);
}

/* Is it a call of all, in a class that has calls of one process too? */
static int is_collective_call(const struct tape_ops *o)
{
	return tape_call_shape(o->e->call) == TAPE_SHAPE_ALL;
}

int tape_ops_collective_if(struct tape_ops *o, uint32_t comm)
{
	return is_collective_call(o) ? tape_ops_collective(o, comm, -1) : 0;
}

/* A non-blocking one of either kind creates a request. */
int tape_ops_begin_if(struct tape_ops *o, uint32_t comm)
{
	if (is_collective_call(o))
		return tape_ops_begin_collective(o, comm, -1);
	return tape_ops_create(o) ? 0 : TAPE_ENOMEM;
}

/*
 * A new communicator: all members of the old one take part, like in a barrier;
 * except where only its own members do, of one group or of two that have no
 * other communicator in common.
 */
int tape_ops_comm_new(struct tape_ops *o, const struct tape_comm_new *u)
{
	unsigned own = tape_call_traits(o->e->call) &
		       (TAPE_TRAIT_BY_GROUP | TAPE_TRAIT_BY_TAG);

	return tape_ops_collective(o, own ? u->newcomm : u->comm, -1);
}

/* ---- files ---- */

/*
 * Collectives in two calls, one at a time for each file; and of PVM those that
 * are two events, one at a time for each group.
 */
static int split_begin(struct tape_ops *o, uint32_t comm, int root)
{
	struct comm_state *s;
	struct tape_request *r;

	if (!tape_ops_comm(o, comm))
		return 0;
	s = state_of(o, comm);
	if (s && s->split)
		return 0;
	r = s ? tape_ops_new_request(o) : NULL;
	if (!r)
		return TAPE_ENOMEM;
	s->split = r;
	return enter_collective(o, r, comm, root);
}

static int split_end(struct tape_ops *o, uint32_t comm)
{
	struct tape_request *r;
	int rc;

	if (comm >= o->s->n_comms || !tape_ops_comm(o, comm))
		return 0;
	r = o->s->comms[comm].split;
	if (!r)
		return 0;
	o->s->comms[comm].split = NULL;
	rc = tape_ops_free_later(o, r);
	return rc ? rc : tape_ops_leave(o, r);
}

int tape_ops_io(struct tape_ops *o, uint32_t comm)
{
	return tape_call_traits(o->e->call) & TAPE_TRAIT_SPLIT_BEGIN
		       ? split_begin(o, comm, -1)
		       : tape_ops_collective_if(o, comm);
}

int tape_ops_coll(struct tape_ops *o, const struct tape_coll *u)
{
	if (u->part == TAPE_PART_BEGINNING)
		return split_begin(o, u->comm, u->root);
	if (u->part == TAPE_PART_END ||
	    tape_call_traits(o->e->call) & TAPE_TRAIT_SPLIT_END)
		return split_end(o, u->comm);
	return tape_ops_collective(o, u->comm, u->root);
}

/* ---- windows ---- */

/* What ranks of a group tell each other, as tags. */
enum { MAY_START = 1, MAY_LEAVE, LEFT };

/* The event tells each rank of the group something, or hears it from each. */
static int each_of(struct tape_ops *o, uint32_t comm, uint32_t group,
		   enum tape_op_kind kind, int what)
{
	const struct tape_comm_info *c = tape_ops_comm(o, comm);
	const struct tape_group_info *g =
		group < o->rank->n_groups ? &o->rank->groups[group] : NULL;

	for (size_t i = 0; c && g && i < g->n; i++) {
		struct tape_request *r = tape_ops_new_request(o);
		int tells = kind == TAPE_OP_TELL;

		if (!r || tape_ops_free_later(o, r))
			return TAPE_ENOMEM;
		r->from = r->key.src = tells ? o->world : g->ranks[i];
		r->to = r->key.dst = tells ? g->ranks[i] : o->world;
		r->key.comm = c->id;
		r->key.tag = what;
		/* completing may leave all in a buffer (MPI-3.1, 11.5.2) */
		r->may_leave_early = what != LEFT;
		if (g->ranks[i] >= 0 && !tape_ops_add(o, kind, r))
			return TAPE_ENOMEM;
		if (g->ranks[i] >= 0)
			o->l->op[o->l->n - 1].weak = what == MAY_START;
	}
	return 0;
}

/*
 * Post opens a window to a group; start may wait for that, complete has to,
 * and wait, or a test, waits for complete.
 */
int tape_ops_pscw(struct tape_ops *o, uint32_t comm, uint32_t group)
{
	unsigned traits = tape_call_traits(o->e->call);
	struct comm_state *s;
	uint32_t was;
	int rc;

	if (!tape_ops_comm(o, comm))
		return 0;
	s = state_of(o, comm);
	if (!s)
		return TAPE_ENOMEM;
	if (traits & TAPE_TRAIT_POSTS) {
		s->posted = group;
		rc = each_of(o, comm, group, TAPE_OP_TELL, MAY_START);
		return rc ? rc
			  : each_of(o, comm, group, TAPE_OP_TELL, MAY_LEAVE);
	}
	if (traits & TAPE_TRAIT_STARTS) {
		s->started = group;
		return each_of(o, comm, group, TAPE_OP_HEAR, MAY_START);
	}
	if (traits & TAPE_TRAIT_COMPLETES) {
		was = s->started;
		s->started = 0;
		rc = each_of(o, comm, was, TAPE_OP_HEAR, MAY_LEAVE);
		return rc ? rc : each_of(o, comm, was, TAPE_OP_TELL, LEFT);
	}
	was = s->posted;
	s->posted = 0;
	return each_of(o, comm, was, TAPE_OP_HEAR, LEFT);
}
