/* Converts windows and one-sided transfers; see action_convert.h. */
#include "action_convert.h"

/*
 * Adds an action on the window. Returns NULL on error (*rc), or if the call
 * failed (*rc 0).
 */
static struct tape_action *append_on_window(struct tape_action_rank *r,
					    const struct tape_event *e,
					    uint32_t comm,
					    enum tape_action_kind kind, int *rc)
{
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, comm);
	struct tape_action *a;

	*rc = 0;
	if (!c) { /* the call failed */
		r->of->s.left_out++;
		return NULL;
	}
	if (!tape_action_is_declared(r, comm)) {
		*rc = tape_action_reject(
		    r, e, "its window was created while recording was off");
		return NULL;
	}
	a = tape_action_append(r, kind);
	if (!a)
		*rc = TAPE_ENOMEM;
	else
		a->comm = (uint32_t)(c - r->of->comms.list);
	return a;
}

int tape_action_add_fence(struct tape_action_rank *r,
			  const struct tape_event *e, uint32_t comm)
{
	int rc;

	append_on_window(r, e, comm, TAPE_ACTION_FENCE, &rc);
	return rc;
}

int tape_action_free_window(struct tape_action_rank *r,
			    const struct tape_event *e)
{
	uint32_t comm = e->u.comm_free.comm;
	int rc;

	if (!tape_action_is_declared(r, comm))
		return 0;
	append_on_window(r, e, comm, TAPE_ACTION_WIN_FREE, &rc);
	tape_action_set_declared(r, comm, 0);
	return rc;
}

int tape_action_create_window(struct tape_action_rank *r,
			      const struct tape_event *e)
{
	const struct tape_win_new *u = &e->u.win_new;
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, u->newcomm);
	struct tape_action *a;
	uint32_t parent;
	int rc;

	if (!c || !tape_action_find_comm(&r->of->comms, r->rank, u->comm)) {
		r->of->s.left_out++; /* the call failed */
		return 0;
	}
	if (tape_action_is_declared(r, u->newcomm))
		return tape_action_reject(r, e,
					  "its new window exists already");
	rc = tape_action_declare_comm(r, e, u->comm, &parent);
	if (rc)
		return rc;
	tape_action_set_declared(r, u->newcomm, 1);
	a = tape_action_append(r, TAPE_ACTION_WIN);
	if (!a)
		return TAPE_ENOMEM;
	a->comm = (uint32_t)(c - r->of->comms.list);
	a->parent = parent;
	a->bytes = u->bytes;
	return 0;
}

/* Returns 1 if the window has no such rank: the call failed. */
static int is_outside(struct tape_action_rank *r, uint32_t comm, int32_t peer)
{
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, comm);
	int is = c && peer >= c->size;

	r->of->s.left_out += (uint64_t)is;
	return is;
}

int tape_action_add_rma(struct tape_action_rank *r, const struct tape_event *e,
			const struct tape_rma *u)
{
	enum tape_action_kind kind = TAPE_ACTION_ACCUMULATE;
	unsigned call = tape_call_base(e->call);
	struct tape_action *a;
	int rc;

	/* an empty transfer, or a call that failed */
	if (u->peer < 0 || is_outside(r, u->comm, u->peer) ||
	    (!u->bytes && !u->rbytes))
		return 0;
	if (call == TAPE_CALL_MPI_Put || call == TAPE_CALL_MPI_Rput)
		kind = TAPE_ACTION_PUT;
	if (call == TAPE_CALL_MPI_Get || call == TAPE_CALL_MPI_Rget)
		kind = TAPE_ACTION_GET;
	a = append_on_window(r, e, u->comm, kind, &rc);
	if (!a)
		return rc;
	a->peer = u->peer;
	a->bytes = kind == TAPE_ACTION_GET ? u->rbytes : u->bytes;
	a->rbytes = kind == TAPE_ACTION_ACCUMULATE ? u->rbytes : 0;
	return 0;
}

int tape_action_add_flush(struct tape_action_rank *r, uint32_t comm,
			  int32_t peer)
{
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, comm);
	struct tape_action *a;

	if (!c || peer < 0)
		return 0;
	a = tape_action_append(r, TAPE_ACTION_FLUSH);
	if (!a)
		return TAPE_ENOMEM;
	a->comm = (uint32_t)(c - r->of->comms.list);
	a->peer = peer;
	return 0;
}

/*
 * The trace does not have the type of a lock. lock_all can only be shared
 * (MPI-4.0, 12.5.3), so all locks are shared.
 */
int tape_action_add_epoch(struct tape_action_rank *r,
			  const struct tape_event *e)
{
	const struct tape_epoch *u = &e->u.epoch;
	enum tape_action_kind kind;
	struct tape_action *a;
	int rc;

	if (u->peer == TAPE_PROC_NULL || is_outside(r, u->comm, u->peer))
		return 0;
	switch (e->call) {
	case TAPE_CALL_MPI_Win_lock:
	case TAPE_CALL_MPI_Win_lock_all:
		kind = TAPE_ACTION_LOCK;
		break;
	case TAPE_CALL_MPI_Win_unlock:
	case TAPE_CALL_MPI_Win_unlock_all:
		kind = TAPE_ACTION_UNLOCK;
		break;
	case TAPE_CALL_MPI_Win_sync:
		return 0;
	default:
		kind = TAPE_ACTION_FLUSH;
	}
	a = append_on_window(r, e, u->comm, kind, &rc);
	if (!a)
		return rc;
	a->peer = u->peer;
	if (kind == TAPE_ACTION_LOCK)
		a->root = 0;
	return 0;
}

/* Stores the members of a group by their ranks in the window. */
static int set_window_group(struct tape_action_rank *r,
			    struct tape_action_slot *s,
			    const struct tape_action_comm *c, uint32_t group)
{
	const struct tape_group_info *g =
	    group < r->info->n_groups ? &r->info->groups[group] : NULL;

	if (!g)
		return 0;
	if (tape_action_reserve_group(s, g->n))
		return TAPE_ENOMEM;
	for (size_t i = 0; i < g->n; i++)
		for (int k = 0; k < c->size; k++) {
			int at = c->by_rank ? g->ranks[i] : k;

			if (at < 0 || c->members[at] != g->ranks[i])
				continue;
			s->group[s->a.n_group++] = at;
			break;
		}
	return 0;
}

/* Wait ends the epoch of a post, complete that of a start. */
int tape_action_add_pscw(struct tape_action_rank *r, const struct tape_event *e,
			 uint32_t comm, uint32_t group)
{
	unsigned traits = tape_call_traits(e->call);
	enum tape_action_kind kind =
	    traits & TAPE_TRAIT_POSTS	    ? TAPE_ACTION_POST
	    : traits & TAPE_TRAIT_STARTS    ? TAPE_ACTION_START
	    : traits & TAPE_TRAIT_COMPLETES ? TAPE_ACTION_COMPLETE
					    : TAPE_ACTION_WAIT_WIN;
	int rc;

	if (!append_on_window(r, e, comm, kind, &rc))
		return rc;
	if (kind != TAPE_ACTION_POST && kind != TAPE_ACTION_START)
		return 0;
	return set_window_group(
	    r, tape_action_queue_at(&r->q, r->q.last),
	    tape_action_find_comm(&r->of->comms, r->rank, comm), group);
}
