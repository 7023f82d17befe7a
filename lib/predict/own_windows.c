/*
 * One-sided communication. Puts, gets and accumulates are in flight until an
 * action waits for them. Locks are granted in the order of time; see
 * own_state.h. The messages of locks take no time, as libraries send them with
 * the first operation.
 */
#include <stdlib.h>
#include <string.h>

#include "delay_bounds.h"
#include "own_state.h"
#include "tool.h"

/* The lock of a target, and the ranks that wait for it. */
struct lock {
	int holders, exclusive;
	double left_ns; /* time of the last release */
	double left_exclusive_ns;
	int first; /* first waiting member plus 1; 0: none */
};

struct own_window {
	uint32_t comm;          /* its communicator */
	int size;		/* size of the communicator */
	const int *members;     /* world ranks; NULL: the world */
	double *done_ns;	/* by member: end of all its operations */
	struct lock *locks;     /* by target */
	int *next;		/* by member: next waiting member plus 1 */
	struct exposed {	/* the group of a post or a start */
		size_t n;
		int *group;
	} * exposed, *started; /* by member */
};

/* Channels of tokens; 0 is the channel of messages. */
static uint32_t post_channel(uint32_t window)
{
	return 2 * window + 1;
}

static uint32_t complete_channel(uint32_t window)
{
	return 2 * window + 2;
}

/* ---- windows ---- */

static struct own_window *find_window(struct own *o, int rank)
{
	uint32_t number = o->ranks[rank].a->comm;

	if (number < o->n_windows && o->windows[number])
		return o->windows[number];
	own_fail(o, TAPE_ERANGE, "%s: no window %u",
		 own_describe_action(o, rank), number);
	return NULL;
}

static void new_window(struct own *o, int rank)
{
	const struct tape_action *a = o->ranks[rank].a;
	struct own_window *w;
	size_t n;

	if (a->comm < o->n_windows && o->windows[a->comm])
		return;
	w = tape_must(calloc(1, sizeof *w));
	w->comm = a->parent;
	w->members = own_comm_members(o, a->parent, &w->size);
	n = (size_t)w->size + 1;
	w->done_ns = tape_must(calloc(n, sizeof *w->done_ns));
	w->locks = tape_must(calloc(n, sizeof *w->locks));
	w->next = tape_must(calloc(n, sizeof *w->next));
	w->exposed = tape_must(calloc(n, sizeof *w->exposed));
	w->started = tape_must(calloc(n, sizeof *w->started));
	if (a->comm >= o->n_windows) {
		n = (size_t)a->comm + 1 + o->n_windows;
		o->windows = tape_must(realloc(o->windows,
					       n * sizeof *o->windows));
		memset(o->windows + o->n_windows, 0,
		       (n - o->n_windows) * sizeof *o->windows);
		o->n_windows = n;
	}
	o->windows[a->comm] = w;
}

/* The rank's number in a window; -1 with an error: not a member. */
static int window_rank(struct own *o, const struct own_window *w, int rank)
{
	int me = own_comm_rank(o, w->comm, rank);

	if (me < 0)
		own_fail(o, TAPE_ERANGE,
			 "%s: this rank is not a member of window %u",
			 own_describe_action(o, rank), o->ranks[rank].a->comm);
	return me;
}

static int is_target(struct own *o, const struct own_window *w, int rank,
		     int32_t target)
{
	if (target >= 0 && target < w->size)
		return 1;
	own_fail(o, TAPE_ERANGE, "%s: window %u has no rank %d",
		 own_describe_action(o, rank), o->ranks[rank].a->comm,
		 (int)target);
	return 0;
}

static int member_rank(const struct own_window *w, int member)
{
	return w->members ? w->members[member] : member;
}

/* ---- operations ---- */

static double round_trip_end(struct own *o, int rank, int target,
			     uint64_t bytes, uint64_t back, double at_ns)
{
	struct sim_net *net = o->m->net;
	const struct sim_cost *c;

	c = sim_net_cost(net, own_distance(o, rank, target), bytes);
	at_ns += c->isend_start_ns + c->transit_ns;
	if (!back)
		return at_ns;
	c = sim_net_cost(net, own_distance(o, target, rank), back);
	return at_ns + c->transit_ns;
}

static void start_operation(struct own *o, int rank, struct own_window *w,
			    int me)
{
	const struct own_rank *k = &o->ranks[rank];
	const struct tape_action *a = k->a;
	int target = a->peer, get = a->kind == TAPE_ACTION_GET;
	uint64_t bytes = get ? 0 : a->bytes;
	uint64_t back = get ? a->bytes
			: a->kind == TAPE_ACTION_ACCUMULATE ? a->rbytes : 0;
	double there;

	if (!is_target(o, w, rank, target))
		return;
	target = member_rank(w, target);
	if (!own_check_rank(o, rank, target))
		return;
	there = round_trip_end(o, rank, target, bytes, back, k->now_ns);
	w->done_ns[me] = tape_max(w->done_ns[me], there);
	own_end_action(o, rank,
		       k->now_ns + sim_net_cost(o->m->net,
						own_distance(o, rank, target),
						bytes)
				       ->isend_ns);
}

/* ---- locks ---- */

static int is_lock_free(const struct lock *l, int exclusive)
{
	return exclusive ? !l->holders : !l->exclusive;
}

static void take_lock(struct own *o, struct lock *l, int rank, int exclusive)
{
	struct own_rank *k = &o->ranks[rank];

	l->holders++;
	l->exclusive = exclusive;
	k->now_ns = tape_max(k->now_ns, exclusive ? l->left_ns
						  : l->left_exclusive_ns);
}

/*
 * Takes the missing locks, one target after the other. If a lock is not free,
 * the rank waits for it.
 */
void own_request_lock(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	struct own_window *w = find_window(o, rank);
	int all = k->a->peer < 0, exclusive = !all && k->a->root == 1;
	int me = own_comm_rank(o, w->comm, rank);
	size_t end = all ? (size_t)w->size : (size_t)k->a->peer + 1;

	for (; k->at < end; k->at++) {
		struct lock *l = &w->locks[k->at];

		if (!is_lock_free(l, exclusive)) {
			int *last = &l->first;

			while (*last)
				last = &w->next[*last - 1];
			*last = me + 1;
			w->next[me] = 0;
			return;
		}
		take_lock(o, l, rank, exclusive);
	}
	own_end_action(o, rank, k->now_ns);
}

static void start_lock(struct own *o, int rank, struct own_window *w)
{
	struct own_rank *k = &o->ranks[rank];

	if (k->a->peer >= 0 && !is_target(o, w, rank, k->a->peer))
		return;
	k->at = k->a->peer < 0 ? 0 : (size_t)k->a->peer;
	own_add_event(o, k->now_ns, OWN_LOCK, (uint32_t)rank);
}

/* Releases a lock. The ranks that waited for it request it again. */
static void release_lock(struct own *o, struct own_window *w, int target,
			 double at_ns)
{
	struct lock *l = &w->locks[target];
	int waits = l->first;

	if (!l->holders)
		return;
	l->holders--;
	l->left_ns = tape_max(l->left_ns, at_ns);
	if (l->exclusive)
		l->left_exclusive_ns = tape_max(l->left_exclusive_ns, at_ns);
	l->exclusive = 0;
	if (l->holders)
		return;
	l->first = 0;
	while (waits) {
		int rank = member_rank(w, waits - 1);

		waits = w->next[waits - 1];
		own_add_event(o, o->ranks[rank].now_ns, OWN_LOCK,
			      (uint32_t)rank);
	}
}

static void end_lock(struct own *o, int rank, struct own_window *w, int me)
{
	const struct own_rank *k = &o->ranks[rank];
	double at = tape_max(k->now_ns, w->done_ns[me]);

	if (k->a->peer >= 0 && !is_target(o, w, rank, k->a->peer))
		return;
	if (k->a->peer >= 0)
		release_lock(o, w, k->a->peer, at);
	for (int t = 0; k->a->peer < 0 && t < w->size; t++)
		release_lock(o, w, t, at);
	own_end_action(o, rank, at);
}

/* ---- epochs of groups ---- */

static void store_group(struct exposed *e, const struct tape_action *a)
{
	free(e->group);
	e->n = a->n_group;
	e->group = tape_must(malloc((e->n + 1) * sizeof *e->group));
	for (size_t i = 0; i < e->n; i++)
		e->group[i] = a->group[i];
}

static int check_group(struct own *o, const struct own_window *w, int rank)
{
	const struct tape_action *a = o->ranks[rank].a;

	for (size_t i = 0; i < a->n_group; i++)
		if (!is_target(o, w, rank, a->group[i]) ||
		    !own_check_rank(o, rank, member_rank(w, a->group[i])))
			return 0;
	return 1;
}

/*
 * Receives the tokens of a group, from the next member on. The rank blocks on a
 * missing token.
 */
static void collect_tokens(struct own *o, int rank, const struct own_window *w,
			   const struct exposed *e, uint32_t channel)
{
	struct own_rank *k = &o->ranks[rank];

	for (; k->at < e->n; k->at++) {
		double there;

		if (!own_receive_token(o, member_rank(w, e->group[k->at]), rank,
				       channel, &there))
			return;
		k->now_ns = tape_max(k->now_ns, there);
	}
	own_end_action(o, rank, k->now_ns);
}

static void resume_epoch(struct own *o, int rank)
{
	const struct tape_action *a = o->ranks[rank].a;
	struct own_window *w = find_window(o, rank);
	int me = own_comm_rank(o, w->comm, rank);

	if (a->kind == TAPE_ACTION_START)
		collect_tokens(o, rank, w, &w->started[me],
			       post_channel(a->comm));
	else
		collect_tokens(o, rank, w, &w->exposed[me],
			       complete_channel(a->comm));
}

void own_token_arrived(struct own *o, int rank, double arrival_ns)
{
	struct own_rank *k = &o->ranks[rank];

	k->now_ns = tape_max(k->now_ns, arrival_ns);
	k->at++;
	resume_epoch(o, rank);
}

static void start_exposure(struct own *o, int rank, struct own_window *w,
			   int me)
{
	const struct own_rank *k = &o->ranks[rank];

	if (!check_group(o, w, rank))
		return;
	store_group(&w->exposed[me], k->a);
	for (size_t i = 0; i < k->a->n_group; i++)
		own_send_token(o, rank, member_rank(w, k->a->group[i]),
			       post_channel(k->a->comm), k->now_ns);
	own_end_action(o, rank, k->now_ns);
}

static void complete_access(struct own *o, int rank, struct own_window *w,
			    int me)
{
	const struct own_rank *k = &o->ranks[rank];
	const struct exposed *e = &w->started[me];
	double at = tape_max(k->now_ns, w->done_ns[me]);

	for (size_t i = 0; i < e->n; i++)
		own_send_token(o, rank, member_rank(w, e->group[i]),
			       complete_channel(k->a->comm), at);
	own_end_action(o, rank, at);
}

/* ---- dispatch ---- */

static void enter_barrier(struct own *o, int rank, uint32_t comm, double at_ns)
{
	struct own_entry e = { .op = TAPE_DO_BARRIER, .comm = comm, .root = -1,
			       .at_ns = at_ns };

	own_enter_collective(o, rank, &e);
}

void own_window_action(struct own *o, int rank)
{
	struct own_rank *k = &o->ranks[rank];
	struct own_window *w;
	int me;

	if (k->a->kind == TAPE_ACTION_WIN)
		new_window(o, rank);
	w = find_window(o, rank);
	me = w ? window_rank(o, w, rank) : -1;
	if (me < 0)
		return;
	k->at = 0;
	switch ((int)k->a->kind) {
	case TAPE_ACTION_PUT:
	case TAPE_ACTION_GET:
	case TAPE_ACTION_ACCUMULATE:
		start_operation(o, rank, w, me);
		break;
	case TAPE_ACTION_LOCK:
		start_lock(o, rank, w);
		break;
	case TAPE_ACTION_UNLOCK:
		end_lock(o, rank, w, me);
		break;
	case TAPE_ACTION_FLUSH:
		own_end_action(o, rank, tape_max(k->now_ns, w->done_ns[me]));
		break;
	case TAPE_ACTION_POST:
		start_exposure(o, rank, w, me);
		break;
	case TAPE_ACTION_START:
		if (check_group(o, w, rank)) {
			store_group(&w->started[me], k->a);
			resume_epoch(o, rank);
		}
		break;
	case TAPE_ACTION_COMPLETE:
		complete_access(o, rank, w, me);
		break;
	case TAPE_ACTION_WAIT_WIN:
		resume_epoch(o, rank);
		break;
	default: /* a window is created, freed or fenced */
		enter_barrier(o, rank, w->comm,
			      tape_max(k->now_ns, w->done_ns[me]));
		break;
	}
}

void own_windows_free(struct own *o)
{
	for (size_t i = 0; i < o->n_windows; i++) {
		struct own_window *w = o->windows[i];

		for (int r = 0; w && r < w->size; r++) {
			free(w->exposed[r].group);
			free(w->started[r].group);
		}
		if (w) {
			free(w->exposed);
			free(w->started);
			free(w->done_ns);
			free(w->locks);
			free(w->next);
		}
		free(w);
	}
	free(o->windows);
}
