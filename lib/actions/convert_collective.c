/* Converts collectives and communicators; see action_convert.h. */
#include <stdio.h>
#include <string.h>

#include "action_convert.h"

/* ---- communicators ---- */

static int append_comm(struct tape_action_rank *r, uint32_t number,
		       uint32_t parent, int32_t color, int32_t key)
{
	struct tape_action *a = tape_action_append(r, TAPE_ACTION_COMM);

	if (!a)
		return TAPE_ENOMEM;
	a->comm = number;
	a->parent = parent;
	a->color = color;
	a->key = key;
	return 0;
}

static int32_t find_index(const struct tape_action_comm *c, int rank)
{
	if (c->by_rank)
		return rank < c->size ? rank : -1;
	for (int i = 0; i < c->size; i++)
		if (c->members[i] == rank)
			return i;
	return -1;
}

static int32_t index_or_zero(const struct tape_action_comm *c, int rank)
{
	int32_t i = find_index(c, rank);

	return i < 0 ? 0 : i;
}

/*
 * Adds the creation of a communicator by its members alone, since the trace has
 * no call that created it.
 */
static int append_group_comm(struct tape_action_rank *r,
			     const struct tape_action_comm *c, uint32_t number)
{
	struct tape_action_slot *s;
	int rc = append_comm(r, number, number, (int32_t)number,
			     index_or_zero(c, r->rank));

	if (rc)
		return rc;
	s = tape_action_queue_at(&r->q, r->q.last);
	if (tape_action_reserve_group(s, (size_t)c->size))
		return TAPE_ENOMEM;
	for (int i = 0; i < c->size; i++)
		s->group[i] = c->members[i];
	s->a.n_group = (size_t)c->size;
	return 0;
}

int tape_action_declare_comm(struct tape_action_rank *r,
			     const struct tape_event *e, uint32_t comm,
			     uint32_t *number)
{
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, comm);

	if (!c) /* the caller has checked */
		return TAPE_ERANGE;
	*number = (uint32_t)(c - r->of->comms.list);
	if (!*number || tape_action_is_declared(r, comm))
		return 0;
	tape_action_set_declared(r, comm, 1);
	if (!c->known)
		return tape_action_reject(r, e,
					  "some members of its communicator "
					  "are missing from the trace");
	return append_group_comm(r, c, *number);
}

static int is_dynamic(const struct tape_event *e)
{
	return e->call == TAPE_CALL_MPI_Comm_spawn ||
	       e->call == TAPE_CALL_MPI_Comm_spawn_multiple ||
	       (tape_call_traits(e->call) & TAPE_TRAIT_BY_PORT) != 0;
}

int tape_action_create_comm(struct tape_action_rank *r,
			    const struct tape_event *e,
			    const struct tape_comm_new *u)
{
	int alone = (tape_call_traits(e->call) &
		     (TAPE_TRAIT_BY_GROUP | TAPE_TRAIT_BY_TAG)) != 0;
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, u->newcomm);
	uint32_t parent, number;
	int rc;

	if (is_dynamic(e))
		return tape_action_reject(
		    r, e,
		    "dynamic processes (MPI_Comm_spawn, MPI_Comm_connect) "
		    "cannot be expressed as actions");
	if (alone)
		return c ? tape_action_declare_comm(r, e, u->newcomm, &number)
			 : 0;
	if (!tape_action_find_comm(&r->of->comms, r->rank, u->comm)) {
		r->of->s.left_out++;
		return 0;
	}
	rc = tape_action_declare_comm(r, e, u->comm, &parent);
	if (rc)
		return rc;
	if (!c)
		return append_comm(r, 0, parent, -1, 0);
	if (tape_action_is_declared(r, u->newcomm))
		return tape_action_reject(
		    r, e, "its new communicator exists already");
	tape_action_set_declared(r, u->newcomm, 1);
	number = (uint32_t)(c - r->of->comms.list);
	return append_comm(r, number, parent, (int32_t)number,
			   index_or_zero(c, r->rank));
}

int tape_action_free_comm(struct tape_action_rank *r,
			  const struct tape_event *e)
{
	uint32_t comm = e->u.comm_free.comm;
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, comm);
	unsigned call = tape_call_base(e->call);
	struct tape_action *a;

	if (!strncmp(tape_call_name(call), "MPI_File_", 9))
		return tape_action_add_sleep(r, e);
	if (call == TAPE_CALL_MPI_Win_free)
		return tape_action_free_window(r, e);
	if (!c || !tape_action_is_declared(r, comm))
		return 0;
	tape_action_set_declared(r, comm, 0);
	a = tape_action_append(r, TAPE_ACTION_COMM_FREE);
	if (!a)
		return TAPE_ENOMEM;
	a->comm = (uint32_t)(c - r->of->comms.list);
	return 0;
}

/* ---- collectives ---- */

/* The operation of a call, or -1: it has no action. */
static int find_op(unsigned call)
{
	switch (tape_call_base(call)) {
	case TAPE_CALL_MPI_Barrier:
	case TAPE_CALL_pvm_barrier:
		return TAPE_DO_BARRIER;
	case TAPE_CALL_MPI_Bcast:
		return TAPE_DO_BCAST;
	case TAPE_CALL_MPI_Reduce:
	case TAPE_CALL_pvm_reduce:
		return TAPE_DO_REDUCE;
	case TAPE_CALL_MPI_Allreduce:
		return TAPE_DO_ALLREDUCE;
	case TAPE_CALL_MPI_Scan:
		return TAPE_DO_SCAN;
	case TAPE_CALL_MPI_Exscan:
		return TAPE_DO_EXSCAN;
	case TAPE_CALL_MPI_Reduce_scatter:
	case TAPE_CALL_MPI_Reduce_scatter_block:
		return TAPE_DO_REDUCE_SCATTER;
	case TAPE_CALL_MPI_Gather:
	case TAPE_CALL_pvm_gather:
		return TAPE_DO_GATHER;
	case TAPE_CALL_MPI_Scatter:
	case TAPE_CALL_pvm_scatter:
		return TAPE_DO_SCATTER;
	case TAPE_CALL_MPI_Allgather:
		return TAPE_DO_ALLGATHER;
	case TAPE_CALL_MPI_Alltoall:
		return TAPE_DO_ALLTOALL;
	case TAPE_CALL_MPI_Gatherv:
		return TAPE_DO_GATHERV;
	case TAPE_CALL_MPI_Scatterv:
		return TAPE_DO_SCATTERV;
	case TAPE_CALL_MPI_Allgatherv:
		return TAPE_DO_ALLGATHERV;
	case TAPE_CALL_MPI_Alltoallv:
	case TAPE_CALL_MPI_Alltoallw:
		return TAPE_DO_ALLTOALLV;
	default:
		return -1;
	}
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Converts the bytes of an event (runtime's coll_bytes) to those of action.h.
 * Where a call has a count for each member, the event has the sum over all
 * members; 0 for a side that is MPI_IN_PLACE.
 */
static void set_collective_bytes(struct tape_action *a,
				 const struct tape_coll *u, uint64_t n)
{
	uint64_t out = u->bytes, in = u->rbytes;

	a->bytes = a->rbytes = 0;
	switch (a->op) {
	case TAPE_DO_BARRIER:
	case TAPE_DO_OPS:
		break;
	case TAPE_DO_BCAST:
	case TAPE_DO_REDUCE:
	case TAPE_DO_ALLREDUCE:
	case TAPE_DO_SCAN:
	case TAPE_DO_EXSCAN:
		a->bytes = larger_of(out, in);
		break;
	case TAPE_DO_REDUCE_SCATTER:
		a->bytes = out;
		a->rbytes = in;
		break;
	case TAPE_DO_GATHER:
		a->bytes = larger_of(out, in / n);
		a->rbytes = in / n;
		break;
	case TAPE_DO_SCATTER:
		a->bytes = out / n;
		a->rbytes = larger_of(in, out / n);
		break;
	case TAPE_DO_ALLGATHER:
		a->bytes = a->rbytes = larger_of(out, in / n);
		break;
	case TAPE_DO_ALLTOALL:
		a->bytes = a->rbytes = larger_of(out, in) / n;
		break;
	case TAPE_DO_ALLGATHERV:
		a->bytes = out || !in ? out : in / n;
		a->rbytes = in;
		break;
	case TAPE_DO_ALLTOALLV:
		/* in place: as much as it receives */
		a->bytes = out ? out : in;
		a->rbytes = in;
		break;
	case TAPE_DO_GATHERV:
	case TAPE_DO_SCATTERV:
		a->bytes = out;
		a->rbytes = in;
		break;
	}
}

/*
 * Adds a message to each neighbour and from each neighbour, all of one size,
 * since the trace has only sums.
 */
static int append_neighbours(struct tape_action_rank *r,
			     const struct tape_coll *u, uint32_t number,
			     struct tape_action_pending *p)
{
	struct tape_action_comms *all = &r->of->comms;
	const struct tape_comm_info *info = &r->info->comms[u->comm];
	const struct tape_action_comm *c;
	uint64_t first = r->requests + 1, n_to, n;
	struct tape_action *a;
	int32_t tag;

	if (tape_action_read_neighbours(all, number))
		return TAPE_ENOMEM;
	c = &all->list[number];
	tag = tape_action_new_tag(all, number, TAPE_TAGS_NEIGHBOURS, 0);
	if (tag < 0)
		return TAPE_ENOMEM;
	n_to = c->to_first[info->rank + 1] - c->to_first[info->rank];
	n = n_to + info->n_sources;
	for (uint64_t i = 0; i < n; i++) {
		int to = i < n_to;
		int peer = to ? c->to[c->to_first[info->rank] + i]
			      : info->sources[i - n_to];

		if (peer < 0 || peer >= c->size || c->members[peer] < 0)
			continue;
		a = tape_action_append(r, to ? TAPE_ACTION_ISEND
					     : TAPE_ACTION_IRECV);
		if (!a)
			return TAPE_ENOMEM;
		a->peer = c->members[peer];
		a->tag = tag;
		a->bytes = to ? u->bytes / n_to : u->rbytes / info->n_sources;
		a->request = ++r->requests;
	}
	n = r->requests + 1 - first;
	if (p) {
		p->first = first;
		p->n = (uint32_t)n;
		return 0;
	}
	for (r->n_waits = 0; r->n_waits < n;)
		if (tape_action_collect_wait(r, first + r->n_waits))
			return TAPE_ENOMEM;
	return tape_action_add_wait(r);
}

/*
 * Checks that all users of a PVM group take part in this collective. Members of
 * PVM groups join and leave, and a barrier releases its tasks when a given
 * number has arrived. An action is a collective of all users of a group. *root:
 * a task, or a member's number; becomes the member's index.
 */
static int check_pvm_group(struct tape_action_rank *r,
			   const struct tape_event *e,
			   const struct tape_action_comm *c, uint32_t comm,
			   int32_t *root)
{
	const struct tape_comm_info *info = &r->info->comms[comm];
	uint64_t k = r->rounds[comm]++;
	const struct tape_meeting *m =
	    tape_pvm_groups_find(r->of->meetings, r->rank, comm, k);
	int count = -1, task;

	if ((m && (m->n != c->size || m->k != k)) ||
	    (sscanf(info->name, "barrier-%d-", &count) == 1 && count >= 0 &&
	     count != c->size))
		return tape_action_reject(
		    r, e, "its participants change from call to call");
	if (*root < 0)
		return 0;
	task = tape_trace_task(r->of->t, *root);
	if (task < 0)
		task = *root;
	*root = task < info->size ? find_index(c, info->members[task]) : -1;
	return 0;
}

int tape_action_add_collective(struct tape_action_rank *r,
			       const struct tape_event *e,
			       const struct tape_coll *u, unsigned call,
			       struct tape_action_pending *p)
{
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, u->comm);
	int op = find_op(call), rc = 0;
	struct tape_action *a;
	int32_t root = u->root;
	uint32_t number;

	/* of a call in two events the second is the action */
	if (u->part == TAPE_PART_BEGINNING)
		return 0;
	if (op < 0 && !strncmp(tape_call_name(call), "MPI_File_", 9))
		return tape_action_add_sleep(r, e);
	if (op < 0 && tape_call_base(call) == TAPE_CALL_MPI_Win_fence)
		return tape_action_add_fence(r, e, u->comm);
	if (!c || (!r->info->tid && root >= c->size)) { /* the call failed */
		r->of->s.left_out++;
		return 0;
	}
	if (c->inter)
		return tape_action_reject(
		    r, e,
		    "a collective of an intercommunicator cannot be expressed "
		    "as an action");
	if (op >= 0 &&
	    (c->size <= 1 || tape_action_moves_nothing((enum tape_action_op)op,
						       u->bytes, u->rbytes)))
		return 0;
	rc = tape_action_declare_comm(r, e, u->comm, &number);
	if (!rc && r->info->tid)
		rc = check_pvm_group(r, e, c, u->comm, &root);
	if (rc)
		return rc;
	if (tape_call_shape(call) == TAPE_SHAPE_NEAR)
		return append_neighbours(r, u, number, p);
	if (op < 0)
		return tape_action_reject(r, e,
					  "no action corresponds to this call");
	a = tape_action_append(r, p ? TAPE_ACTION_ICOLL : TAPE_ACTION_COLL);
	if (!a)
		return TAPE_ENOMEM;
	a->comm = number;
	a->op = (enum tape_action_op)op;
	a->root = root;
	set_collective_bytes(a, u, (uint64_t)c->size);
	if (p) {
		p->first = a->request = ++r->requests;
		p->n = 1;
	}
	return 0;
}
