/* Records of windows and one-sided operations; see otf2_rma.h. */
#include <stdlib.h>

#include "growing_array.h"
#include "otf2_rma.h"
#include "table.h"
#include "tool.h"

/* An operation that is not known to be complete at its target. */
struct operation {
	uint64_t id;
	int32_t target;
	uint32_t local_done; /* complete locally, or has a request */
};

/* The state of a window in the rank. */
struct window {
	struct operation *list; /* in order */
	size_t n, room;
	size_t n_local_done;	/* the first of them are complete locally */
	uint64_t locks;         /* number of locks held */
	/* groups of the exposure epoch and of the access epoch */
	uint32_t posted, started;
};

struct otf2_rma {
	const struct tape_trace *t;
	struct definitions *d;
	struct tape_table windows; /* by communicator */
	uint64_t ids;              /* number of operations so far */
};

/* A call on a window. */
struct at {
	struct otf2_rma *r;
	OTF2_EvtWriter *w;
	const struct tape_step *s;
	struct window *window;
	OTF2_RmaWinRef ref;
	uint64_t ns;
};

struct otf2_rma *rma_new(const struct tape_trace *t, struct definitions *d)
{
	struct otf2_rma *r = tape_must(calloc(1, sizeof *r));

	r->t = t;
	r->d = d;
	r->windows.bytes = sizeof(struct window);
	return r;
}

void rma_free(struct otf2_rma *r)
{
	struct window *window;
	uint64_t key;
	size_t at = 0;

	while ((window = tape_table_each(&r->windows, &at, &key)))
		free(window->list);
	tape_table_free(&r->windows);
	free(r);
}

/* Finds the window of a call. peer: a rank in it; negative: none. Returns 0 if
 * there is no such window, or no such rank in it. */
static int find_window(struct at *at, uint32_t comm, int32_t peer)
{
	if (!definitions_find_window(at->r->d, at->s->rank, comm, peer,
				     &at->ref))
		return 0;
	at->window = tape_must(tape_table_get(&at->r->windows, comm));
	return 1;
}

/* ---- operations ---- */

static void add_operation(struct window *w, uint64_t id, int32_t target,
			  int asked_for)
{
	w->list = tape_must(
	    tape_grow_array(w->list, &w->room, w->n + 1, sizeof *w->list));
	w->list[w->n++] = (struct operation){id, target, asked_for != 0};
}

/*
 * Completes the operations of the window to a target, or to all (negative):
 * locally, or everywhere.
 */
static OTF2_ErrorCode complete_operations(const struct at *at, int32_t target,
					  int everywhere)
{
	struct window *w = at->window;
	size_t kept = everywhere ? 0 : w->n_local_done;
	OTF2_ErrorCode rc = OTF2_SUCCESS;

	for (size_t i = kept; rc == OTF2_SUCCESS && i < w->n; i++) {
		struct operation *o = &w->list[i];
		int over = target < 0 || o->target == target;

		if (over && !o->local_done)
			rc = OTF2_EvtWriter_RmaOpCompleteNonBlocking(
			    at->w, NULL, at->ns, at->ref, o->id);
		o->local_done |= (uint32_t)over;
		if (!over || !everywhere)
			w->list[kept++] = *o;
		else if (rc == OTF2_SUCCESS)
			rc = OTF2_EvtWriter_RmaOpCompleteRemote(
			    at->w, NULL, at->ns, at->ref, o->id);
	}
	w->n = kept;
	w->n_local_done = everywhere ? 0 : w->n_local_done;
	while (w->n_local_done < w->n && w->list[w->n_local_done].local_done)
		w->n_local_done++;
	return rc;
}

static OTF2_ErrorCode put_atomic(const struct at *at, const struct tape_rma *u,
				 OTF2_RmaAtomicType type, uint64_t id)
{
	return OTF2_EvtWriter_RmaAtomic(at->w, NULL, at->ns, at->ref,
					(uint32_t)u->peer, type, u->bytes,
					u->rbytes, id);
}

static OTF2_ErrorCode put_operation(const struct at *at,
				    const struct tape_rma *u, uint64_t id)
{
	switch (tape_call_base(at->s->call)) {
	case TAPE_CALL_MPI_Put:
	case TAPE_CALL_MPI_Rput:
		return OTF2_EvtWriter_RmaPut(at->w, NULL, at->ns, at->ref,
					     (uint32_t)u->peer, u->bytes, id);
	case TAPE_CALL_MPI_Get:
	case TAPE_CALL_MPI_Rget:
		return OTF2_EvtWriter_RmaGet(at->w, NULL, at->ns, at->ref,
					     (uint32_t)u->peer, u->rbytes, id);
	case TAPE_CALL_MPI_Accumulate:
	case TAPE_CALL_MPI_Raccumulate:
		return put_atomic(at, u, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, id);
	case TAPE_CALL_MPI_Compare_and_swap:
		return put_atomic(at, u, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP,
				  id);
	default:
		return put_atomic(
		    at, u, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, id);
	}
}

static OTF2_ErrorCode issue_operation(struct otf2_rma *r, OTF2_EvtWriter *w,
				      const struct tape_step *s,
				      const struct tape_rma *u, uint64_t *id)
{
	struct at at = {r, w, s, NULL, 0, (uint64_t)s->from_ns};

	*id = 0;
	if (u->peer < 0 || !find_window(&at, u->comm, u->peer))
		return OTF2_SUCCESS;
	*id = ++r->ids;
	add_operation(at.window, *id, u->peer, s->event->request != 0);
	return put_operation(&at, u, *id);
}

OTF2_ErrorCode rma_issue(struct otf2_rma *r, OTF2_EvtWriter *w,
			 const struct tape_step *s, uint64_t *id)
{
	const struct tape_irma *u = &s->event->u.irma;

	return issue_operation(r, w, s,
			       &(struct tape_rma){.peer = u->peer,
						  .bytes = u->bytes,
						  .rbytes = u->rbytes,
						  .comm = u->comm},
			       id);
}

OTF2_ErrorCode rma_complete_request(struct otf2_rma *r, OTF2_EvtWriter *w,
				    const struct tape_step *s, uint32_t comm,
				    uint64_t id)
{
	struct at at = {r, w, s, NULL, 0, (uint64_t)s->to_ns};

	if (!id || !find_window(&at, comm, -1))
		return OTF2_SUCCESS;
	return OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, NULL, at.ns, at.ref,
						       id);
}

/* ---- collective calls ---- */

static OTF2_ErrorCode put_collective_end(const struct at *at,
					 OTF2_CollectiveOp op,
					 OTF2_RmaSyncLevel level)
{
	return OTF2_EvtWriter_RmaCollectiveEnd(at->w, NULL, at->ns, op, level,
					       at->ref, OTF2_UNDEFINED_UINT32,
					       0, 0);
}

/* Returns 1 if the call allocates the memory of the window. */
static int call_allocates(unsigned call)
{
	call = tape_call_base(call);
	return call == TAPE_CALL_MPI_Win_allocate ||
	       call == TAPE_CALL_MPI_Win_allocate_shared;
}

static OTF2_ErrorCode put_window_created(const struct at *at)
{
	OTF2_ErrorCode rc =
	    OTF2_EvtWriter_RmaWinCreate(at->w, NULL, at->ns, at->ref);

	return rc != OTF2_SUCCESS
		   ? rc
		   : put_collective_end(
			 at,
			 call_allocates(at->s->call)
			     ? OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE
			     : OTF2_COLLECTIVE_OP_CREATE_HANDLE,
			 OTF2_RMA_SYNC_LEVEL_PROCESS);
}

static OTF2_ErrorCode put_window_freed(const struct at *at, uint32_t comm)
{
	unsigned call = definitions_window_end(at->r->d, at->s->rank, comm);
	OTF2_ErrorCode rc = complete_operations(at, -1, 1);

	free(at->window->list);
	tape_table_drop(&at->r->windows, comm);
	if (rc == OTF2_SUCCESS)
		rc = OTF2_EvtWriter_RmaWinDestroy(at->w, NULL, at->ns, at->ref);
	return rc != OTF2_SUCCESS
		   ? rc
		   : put_collective_end(
			 at,
			 call_allocates(call)
			     ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE
			     : OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
			 OTF2_RMA_SYNC_LEVEL_PROCESS);
}

static OTF2_ErrorCode put_fence(const struct at *at)
{
	OTF2_ErrorCode rc = complete_operations(at, -1, 1);

	if (rc != OTF2_SUCCESS)
		return rc;
	return put_collective_end(at, OTF2_COLLECTIVE_OP_BARRIER,
				  OTF2_RMA_SYNC_LEVEL_PROCESS |
				      OTF2_RMA_SYNC_LEVEL_MEMORY);
}

/* ---- groups ---- */

static OTF2_ErrorCode put_group_sync(const struct at *at, uint32_t group,
				     OTF2_RmaSyncLevel level)
{
	OTF2_GroupRef ref;

	if (!definitions_find_group(at->r->d, at->s->rank, group, &ref))
		return OTF2_SUCCESS;
	return OTF2_EvtWriter_RmaGroupSync(at->w, NULL, at->ns, level, at->ref,
					   ref);
}

/* A post is ended by a wait, a start by a complete. */
static OTF2_ErrorCode put_group_call(const struct at *at, uint32_t group)
{
	unsigned traits = tape_call_traits(at->s->call);
	uint32_t *of = traits & (TAPE_TRAIT_STARTS | TAPE_TRAIT_COMPLETES)
			   ? &at->window->started
			   : &at->window->posted;
	OTF2_ErrorCode rc = OTF2_SUCCESS;

	if (traits & (TAPE_TRAIT_POSTS | TAPE_TRAIT_STARTS)) {
		*of = group;
		return put_group_sync(at, group, OTF2_RMA_SYNC_LEVEL_NONE);
	}
	group = *of;
	*of = 0;
	if (traits & TAPE_TRAIT_COMPLETES)
		rc = complete_operations(at, -1, 1);
	return rc != OTF2_SUCCESS
		   ? rc
		   : put_group_sync(at, group, OTF2_RMA_SYNC_LEVEL_MEMORY);
}

/* ---- locks ---- */

/*
 * The trace has neither the time at which a lock is granted (MPI may request it
 * later), nor its type. A lock of all ranks is always shared.
 */
static OTF2_ErrorCode put_lock_request(const struct at *at, int32_t peer)
{
	at->window->locks++;
	return OTF2_EvtWriter_RmaRequestLock(
	    at->w, NULL, at->ns, at->ref,
	    peer < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)peer, 0,
	    at->s->call == TAPE_CALL_MPI_Win_lock_all ? OTF2_LOCK_SHARED
						      : OTF2_UNDEFINED_TYPE);
}

static OTF2_ErrorCode put_lock_release(const struct at *at, int32_t peer)
{
	OTF2_ErrorCode rc = complete_operations(at, peer, 1);

	if (rc != OTF2_SUCCESS || !at->window->locks)
		return rc;
	at->window->locks--;
	return OTF2_EvtWriter_RmaReleaseLock(
	    at->w, NULL, at->ns, at->ref,
	    peer < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)peer, 0);
}

static OTF2_ErrorCode put_epoch_end(const struct at *at,
				    const struct tape_epoch *u)
{
	const struct tape_rank_info *r = tape_trace_rank(at->r->t, at->s->rank);

	switch (at->s->call) {
	case TAPE_CALL_MPI_Win_unlock:
	case TAPE_CALL_MPI_Win_unlock_all:
		return put_lock_release(at, u->peer);
	case TAPE_CALL_MPI_Win_flush:
	case TAPE_CALL_MPI_Win_flush_all:
		return complete_operations(at, u->peer, 1);
	case TAPE_CALL_MPI_Win_flush_local:
	case TAPE_CALL_MPI_Win_flush_local_all:
		return complete_operations(at, u->peer, 0);
	case TAPE_CALL_MPI_Win_sync:
		return OTF2_EvtWriter_RmaSync(at->w, NULL, at->ns, at->ref,
					      (uint32_t)r->comms[u->comm].rank,
					      OTF2_RMA_SYNC_TYPE_MEMORY);
	default:
		return OTF2_SUCCESS;
	}
}

/* ---- events ---- */

/* Returns the window of a collective call; 0: none. */
static uint32_t collective_window(const struct tape_step *s)
{
	const union tape_fields *u = &s->event->u;

	if (s->event->class_ == TAPE_CLASS_WIN_NEW)
		return u->win_new.newcomm;
	if (s->call == TAPE_CALL_MPI_Win_free)
		return u->comm_free.comm;
	return s->call == TAPE_CALL_MPI_Win_fence ? u->coll.comm : 0;
}

OTF2_ErrorCode rma_begin(struct otf2_rma *r, OTF2_EvtWriter *w,
			 const struct tape_step *s)
{
	struct at at = {r, w, s, NULL, 0, (uint64_t)s->from_ns};
	const union tape_fields *u = &s->event->u;
	int locks = s->call == TAPE_CALL_MPI_Win_lock ||
		    s->call == TAPE_CALL_MPI_Win_lock_all;
	uint64_t id;

	if (s->event->class_ == TAPE_CLASS_RMA)
		return issue_operation(r, w, s, &u->rma, &id);
	if (locks && find_window(&at, u->epoch.comm, u->epoch.peer))
		return put_lock_request(&at, u->epoch.peer);
	if (tape_call_traits(s->call) & TAPE_TRAIT_POSTS &&
	    find_window(&at, u->pscw.comm, -1))
		return put_group_call(&at, u->pscw.group);
	if (collective_window(s) && find_window(&at, collective_window(s), -1))
		return OTF2_EvtWriter_RmaCollectiveBegin(w, NULL, at.ns);
	return OTF2_SUCCESS;
}

static OTF2_ErrorCode put_window_collective(const struct at *at)
{
	const union tape_fields *u = &at->s->event->u;

	if (at->s->event->class_ == TAPE_CLASS_WIN_NEW)
		return put_window_created(at);
	return at->s->call == TAPE_CALL_MPI_Win_free
		   ? put_window_freed(at, u->comm_free.comm)
		   : put_fence(at);
}

OTF2_ErrorCode rma_end(struct otf2_rma *r, OTF2_EvtWriter *w,
		       const struct tape_step *s)
{
	struct at at = {r, w, s, NULL, 0, (uint64_t)s->to_ns};
	const union tape_fields *u = &s->event->u;

	if (s->event->class_ == TAPE_CLASS_EPOCH &&
	    find_window(&at, u->epoch.comm, u->epoch.peer))
		return put_epoch_end(&at, &u->epoch);
	if (s->event->class_ == TAPE_CLASS_PSCW &&
	    !(tape_call_traits(s->call) & TAPE_TRAIT_POSTS) &&
	    find_window(&at, u->pscw.comm, -1))
		return put_group_call(&at, u->pscw.group);
	if (s->event->class_ == TAPE_CLASS_WINTEST && u->wintest.flag &&
	    find_window(&at, u->wintest.comm, -1))
		return put_group_call(&at, 0);
	if (collective_window(s) && find_window(&at, collective_window(s), -1))
		return put_window_collective(&at);
	return OTF2_SUCCESS;
}

/* ---- definitions ---- */

/* Returns the window that a call uses or creates; 0: none. *peer: its target.
 */
static uint32_t window_of_step(const struct tape_step *s, int32_t *peer)
{
	const union tape_fields *u = &s->event->u;

	*peer = -1;
	switch (s->event->class_) {
	case TAPE_CLASS_RMA:
		*peer = u->rma.peer;
		return *peer < 0 ? 0 : u->rma.comm;
	case TAPE_CLASS_IRMA:
		*peer = u->irma.peer;
		return *peer < 0 || !s->event->request ? 0 : u->irma.comm;
	case TAPE_CLASS_EPOCH:
		*peer = u->epoch.peer;
		return u->epoch.comm;
	case TAPE_CLASS_PSCW:
		return u->pscw.comm;
	case TAPE_CLASS_WINTEST:
		return u->wintest.flag ? u->wintest.comm : 0;
	default:
		return collective_window(s);
	}
}

void rma_define(struct definitions *d, const struct tape_step *s)
{
	const union tape_fields *u = &s->event->u;
	unsigned begins = TAPE_TRAIT_POSTS | TAPE_TRAIT_STARTS;
	int32_t peer;
	uint32_t comm = window_of_step(s, &peer);
	OTF2_RmaWinRef window;
	OTF2_GroupRef group;

	if (!comm || !definitions_find_window(d, s->rank, comm, peer, &window))
		return;
	if (s->event->class_ == TAPE_CLASS_WIN_NEW)
		definitions_window_create(d, s->rank, comm, u->win_new.comm,
					  s->call);
	else if (s->event->class_ == TAPE_CLASS_PSCW &&
		 tape_call_traits(s->call) & begins)
		definitions_find_group(d, s->rank, u->pscw.group, &group);
}
