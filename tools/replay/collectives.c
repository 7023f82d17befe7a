/*
 * What several ranks do together: collectives, files, windows; see
 * outstanding.h.
 */
#include "outstanding.h"

/* ---- collectives ---- */

/* How many members of both groups are in the trace. */
static int32_t known_members(const struct tape_ops *o,
			     const struct tape_comm_info *c)
{
	int32_t *known = &o->s->comms[c->index].known;

	if (*known >= 0)
		return *known;
	*known = 0;
	for (int i = 0; i < c->size; i++)
		*known += c->members[i] >= 0;
	for (int i = 0; c->side >= 0 && i < c->own_size; i++)
		*known += c->own[i] >= 0;
	return *known;
}

/* Between two groups; the numbers of group 0 come first. */
static void enter_inter(struct tape_pending *r, const struct tape_comm_info *c,
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
static int root_of(const struct tape_ops *o, const struct tape_comm_info *c,
		   int root)
{
	int rank = o->rank->tid ? tape_trace_task(o->trace, root) : -1;

	if (rank < 0)
		rank = root;
	return tape_ops_world(c, rank) < 0 ? -1 : rank;
}

/* Does each pair of members have a size of its own? */
static int is_uneven(unsigned call)
{
	switch (call) {
	case TAPE_CALL_MPI_Gatherv:
	case TAPE_CALL_MPI_Scatterv:
	case TAPE_CALL_MPI_Allgatherv:
	case TAPE_CALL_MPI_Alltoallv:
	case TAPE_CALL_MPI_Alltoallw:
	case TAPE_CALL_MPI_Neighbor_allgatherv:
	case TAPE_CALL_MPI_Neighbor_alltoallv:
	case TAPE_CALL_MPI_Neighbor_alltoallw:
	case TAPE_CALL_MPI_Igatherv:
	case TAPE_CALL_MPI_Iscatterv:
	case TAPE_CALL_MPI_Iallgatherv:
	case TAPE_CALL_MPI_Ialltoallv:
	case TAPE_CALL_MPI_Ialltoallw:
	case TAPE_CALL_MPI_Ineighbor_allgatherv:
	case TAPE_CALL_MPI_Ineighbor_alltoallv:
	case TAPE_CALL_MPI_Ineighbor_alltoallw:
		return 1;
	default:
		return 0;
	}
}

/*
 * May the event under way end before others have begun? Open MPI and MPICH
 * leave most collectives that move nothing at once, each some of them. To free
 * a communicator takes nobody else, and of a file each may have its own part
 * (MPI-3.1, 6.4.3 and 13.6.1: it depends on the library).
 */
static int is_weak(const struct tape_ops *o)
{
	const struct tape_event *e = o->e;
	uint64_t bytes;

	switch (e->class_) {
	case TAPE_CLASS_COLL:
		bytes = e->u.coll.bytes | e->u.coll.rbytes;
		break;
	case TAPE_CLASS_ICOLL:
		bytes = e->u.icoll.bytes | e->u.icoll.rbytes;
		break;
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
		return 1;
	default:
		return 0;
	}
	return !o->rank->tid &&
	       (is_uneven(e->call) ||
		(!bytes && e->call != TAPE_CALL_MPI_Barrier &&
		 e->call != TAPE_CALL_MPI_Ibarrier));
}

static int enter(struct tape_ops *o, struct tape_pending *r, uint32_t comm,
		 int root)
{
	const struct tape_comm_info *c = tape_ops_comm(o, comm);
	const struct tape_meeting *meeting;

	if (!c)
		return 0;
	r->is_coll = 1;
	r->active = 1;
	if (tape_partial_has(&o->s->partial, TAPE_CHANNEL_COLL, comm, 0)) {
		o->s->left_out++;
		r->left_out = 1;
		return 0;
	}
	r->comm = comm;
	r->key.comm = c->id;
	r->k = o->s->comms[comm].rounds++;
	r->shape = tape_call_shape(r->call);
	if (r->shape == TAPE_SHAPE_NONE)
		r->shape = TAPE_SHAPE_ALL;
	r->weak = is_weak(o);
	r->known = known_members(o, c);
	meeting = tape_meetings_find(o->s->meetings, o->world, comm, r->k);
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
		r->root = root_of(o, c, root);
	}
	r->sources = c->sources;
	r->n_sources = c->n_sources;
	r->posted = 1;
	return tape_ops_add(o, TAPE_OP_ENTER, r) ? 0 : TAPE_ENOMEM;
}

int tape_ops_leave(struct tape_ops *o, struct tape_pending *r)
{
	if (!r->posted)
		return tape_ops_end_left_out(o, r);
	return tape_ops_add(o, TAPE_OP_LEAVE, r) ? 0 : TAPE_ENOMEM;
}

int tape_ops_collective(struct tape_ops *o, uint32_t comm, int root)
{
	struct tape_pending *r = tape_ops_blocking(o);
	int rc = r ? enter(o, r, comm, root) : TAPE_ENOMEM;

	if (rc)
		return rc;
	if (r->posted)
		o->l->op[o->l->n - 1].blocking = 1;
	return tape_ops_leave(o, r);
}

int tape_ops_begin_collective(struct tape_ops *o, uint32_t comm, int root)
{
	struct tape_pending *r = tape_ops_create(o);

	return r ? enter(o, r, comm, root) : TAPE_ENOMEM;
}

/* Is it a call of all, in a class that has calls of one process too? */
static int together(const struct tape_ops *o)
{
	return tape_call_shape(o->e->call) == TAPE_SHAPE_ALL;
}

int tape_ops_collective_if(struct tape_ops *o, uint32_t comm)
{
	return together(o) ? tape_ops_collective(o, comm, -1) : 0;
}

/* A non-blocking one of either kind creates a request. */
int tape_ops_begin_if(struct tape_ops *o, uint32_t comm)
{
	if (together(o))
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
	int own = o->e->call == TAPE_CALL_MPI_Comm_create_group ||
		  o->e->call == TAPE_CALL_MPI_Intercomm_create;

	return tape_ops_collective(o, own ? u->newcomm : u->comm, -1);
}

/* ---- files ---- */

enum split { NOT_SPLIT, SPLIT_BEGIN, SPLIT_END };

/* Collectives in two calls, one at a time for each file. */
static enum split is_split(unsigned call)
{
	if (call >= TAPE_CALL_MPI_File_read_all_begin &&
	    call <= TAPE_CALL_MPI_File_read_ordered_begin)
		return SPLIT_BEGIN;
	if (call >= TAPE_CALL_MPI_File_write_all_begin &&
	    call <= TAPE_CALL_MPI_File_write_ordered_begin)
		return SPLIT_BEGIN;
	if (call >= TAPE_CALL_MPI_File_read_all_end &&
	    call <= TAPE_CALL_MPI_File_read_ordered_end)
		return SPLIT_END;
	if (call >= TAPE_CALL_MPI_File_write_all_end &&
	    call <= TAPE_CALL_MPI_File_write_ordered_end)
		return SPLIT_END;
	return NOT_SPLIT;
}

static int split_begin(struct tape_ops *o, uint32_t comm)
{
	struct comm_state *s = &o->s->comms[comm];
	struct tape_pending *r;

	if (!tape_ops_comm(o, comm) || s->split)
		return 0;
	r = tape_ops_own(o);
	if (!r)
		return TAPE_ENOMEM;
	s->split = r;
	return enter(o, r, comm, -1);
}

static int split_end(struct tape_ops *o, uint32_t comm)
{
	struct comm_state *s = &o->s->comms[comm];
	struct tape_pending *r = s->split;
	int rc;

	if (!tape_ops_comm(o, comm) || !r)
		return 0;
	s->split = NULL;
	rc = tape_ops_let_die(o, r);
	return rc ? rc : tape_ops_leave(o, r);
}

int tape_ops_io(struct tape_ops *o, uint32_t comm)
{
	return is_split(o->e->call) == SPLIT_BEGIN
		       ? split_begin(o, comm)
		       : tape_ops_collective_if(o, comm);
}

int tape_ops_coll(struct tape_ops *o, const struct tape_coll *u)
{
	return is_split(o->e->call) == SPLIT_END
		       ? split_end(o, u->comm)
		       : tape_ops_collective(o, u->comm, u->root);
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
		struct tape_pending *r = tape_ops_own(o);
		int tells = kind == TAPE_OP_TELL;

		if (!r || tape_ops_let_die(o, r))
			return TAPE_ENOMEM;
		r->from = r->key.src = tells ? o->world : g->ranks[i];
		r->to = r->key.dst = tells ? g->ranks[i] : o->world;
		r->key.comm = c->id;
		r->key.tag = what;
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
	struct comm_state *s;
	uint32_t was;
	int rc;

	if (!tape_ops_comm(o, comm))
		return 0;
	s = &o->s->comms[comm];
	switch (o->e->call) {
	case TAPE_CALL_MPI_Win_post:
		s->posted = group;
		rc = each_of(o, comm, group, TAPE_OP_TELL, MAY_START);
		return rc ? rc
			  : each_of(o, comm, group, TAPE_OP_TELL, MAY_LEAVE);
	case TAPE_CALL_MPI_Win_start:
		s->started = group;
		return each_of(o, comm, group, TAPE_OP_HEAR, MAY_START);
	case TAPE_CALL_MPI_Win_complete:
		was = s->started;
		s->started = 0;
		rc = each_of(o, comm, was, TAPE_OP_HEAR, MAY_LEAVE);
		return rc ? rc : each_of(o, comm, was, TAPE_OP_TELL, LEFT);
	default:
		was = s->posted;
		s->posted = 0;
		return each_of(o, comm, was, TAPE_OP_HEAR, LEFT);
	}
}
