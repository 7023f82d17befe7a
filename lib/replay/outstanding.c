/* Requests by number, and the order of posting; see outstanding.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_bits.h"
#include "outstanding.h"

/* The end of a receive that still waits to be posted. */
enum { NOT_OVER, ENDED, GONE };

struct tape_op *tape_ops_add(struct tape_ops *o, enum tape_op_kind kind,
			struct tape_request *r)
{
	struct tape_ops_list *l = o->l;
	struct tape_op *op =
	    tape_grow_array(l->op, &l->room, (size_t)l->n + 1, sizeof *op);

	if (!op)
		return NULL;
	l->op = op;
	op = &l->op[l->n++];
	*op = (struct tape_op){ .kind = kind, .r = r, .arrived = 2,
				.key = r->key, .bytes = r->bytes };
	return op;
}

/* ---- requests by number ---- */

static inline int is_used(struct tape_request *const *slot)
{
	return *slot != NULL;
}

static inline uint64_t request_number(const void *own,
				      struct tape_request *const *slot)
{
	(void)own;
	return (*slot)->number;
}

static inline uint64_t hash_number(uint64_t number)
{
	return tape_spread_bits(number) >> 24;
}

static inline int is_equal_number(uint64_t a, uint64_t b)
{
	return a == b;
}

TAPE_SLOTS(tape_requests, struct tape_request *, const void *, uint64_t,
	   is_used, request_number, hash_number, is_equal_number)

int tape_ops_reserve_request(struct shared *s)
{
	return tape_requests_reserve(NULL, &s->requests, TAPE_REQUESTS_LEAST)
		   ? TAPE_ENOMEM
		   : 0;
}

struct tape_request **tape_ops_find(struct tape_ops *o, uint64_t number)
{
	return tape_requests_find(NULL, &o->s->requests, number);
}

struct tape_request *tape_ops_request(struct tape_ops *o, uint64_t number)
{
	struct tape_request *r = number ? *tape_ops_find(o, number) : NULL;

	o->s->unknown += !r;
	return r;
}

void tape_ops_open_requests(const struct tape_ops *o,
			    void (*f)(void *own, const struct tape_request *r),
			    void *own)
{
	const struct tape_requests *all = &o->s->requests;

	for (uint64_t i = 0; i <= all->mask; i++)
		if (all->list[i])
			f(own, all->list[i]);
}

static struct tape_request *new_pending(struct tape_ops *o)
{
	enum { LINE = 64 };

	/* of a cache line each, as far as most is concerned */
	if (!o->n_spare)
		return aligned_alloc(LINE, (sizeof(struct tape_request) +
					    o->tool + LINE - 1) / LINE * LINE);
	return o->spare[--o->n_spare];
}

int tape_ops_free_later(struct tape_ops *o, struct tape_request *p)
{
	struct tape_ops_list *l = o->l;
	struct tape_request **grown = tape_grow_array(
	    l->dead, &l->dead_room, (size_t)l->n_dead + 1, sizeof *grown);

	if (!grown)
		return TAPE_ENOMEM;
	l->dead = grown;
	grown = tape_grow_array(o->spare, &o->spare_room,
				(size_t)(o->n_spare + o->n_dead) + 1,
				sizeof *grown);
	if (!grown)
		return TAPE_ENOMEM;
	o->spare = grown;
	l->dead[l->n_dead++] = p;
	o->n_dead++;
	return 0;
}

void tape_ops_clear(struct tape_ops *o, struct tape_ops_list *l)
{
	o->n_dead -= l->n_dead;
	while (l->n_dead)
		o->spare[o->n_spare++] = l->dead[--l->n_dead];
	l->n = 0;
}

void tape_ops_pass(struct tape_ops *o)
{
	if (o->own.n || o->own.n_dead)
		tape_ops_clear(o, &o->own);
	o->events++;
	o->behind = 0;
}

void tape_ops_list_free(struct tape_ops_list *l)
{
	while (l->n_dead)
		free(l->dead[--l->n_dead]);
	free(l->dead);
	free(l->op);
}

static void clear_request(const struct tape_ops *o, struct tape_request *r,
			  uint64_t number, unsigned call)
{
	enum { PIECE = 64 };
	char *at = (char *)r;
	size_t left = offsetof(struct tape_request, k);

	/* for each blocking call: the one instruction that gcc makes of it all
	 * takes ten times as long to begin as a few stores */
	for (; left >= PIECE; left -= PIECE, at += PIECE)
		memset(at, 0, PIECE);
	memset(at, 0, offsetof(struct tape_request, k) % PIECE);
	memset(r + 1, 0, o->tool);
	r->number = number;
	r->call = (uint16_t)call;
	r->from = r->to = -1;
}

/* ---- the list of receives that are not posted yet ---- */

static void link_last(struct shared *s, struct tape_request *r)
{
	r->before = s->last;
	r->after = NULL;
	*(s->last ? &s->last->after : &s->first) = r;
	s->last = r;
	r->listed = 1;
	s->deferred += r->has_key;
}

/* What stands around r shall point to instead. */
static void relink_neighbours(struct shared *s, const struct tape_request *r,
			      struct tape_request *instead_before,
			      struct tape_request *instead_after)
{
	*(r->before ? &r->before->after : &s->first) = instead_before;
	*(r->after ? &r->after->before : &s->last) = instead_after;
}

static void unlink_one(struct shared *s, struct tape_request *r)
{
	if (!r->listed)
		return;
	relink_neighbours(s, r, r->after, r->before);
	r->listed = 0;
	s->deferred -= r->has_key;
	s->cleared |= r->in_the_way;
}

void tape_ops_free_list(struct shared *s)
{
	struct tape_request *next;

	for (struct tape_request *r = s->first; r; r = next) {
		next = r->after;
		if (r->own)
			free(r);
	}
}

/* Field by field: what is put together first has to be read back as a whole,
 * and a processor waits for that. */
static inline void set_current_location(const struct tape_ops *o,
					struct tape_where *w)
{
	w->event = o->events & 0xffffffffffff;
	w->call = o->e->call;
	w->rank = o->world;
	w->thread = o->e->thread;
	w->site = o->e->site;
	w->region = o->region & TAPE_REGION_MOST;
	w->shared = 0;
}

struct tape_request *tape_ops_create(struct tape_ops *o)
{
	struct tape_request **at, *p;

	if (tape_ops_reserve_request(o->s))
		return NULL;
	at = tape_ops_find(o, o->e->request);
	if (!*at) {
		p = new_pending(o);
		if (!p)
			return NULL;
		*at = p;
		o->s->requests.used++;
	} else {
		p = *at;
		unlink_one(o->s, p);
	}
	clear_request(o, p, o->e->request, o->e->call);
	set_current_location(o, &p->begun);
	return p;
}

struct tape_request *tape_ops_blocking(struct tape_ops *o)
{
	struct tape_request *p = tape_ops_new_request(o);

	if (!p || !tape_ops_free_later(o, p))
		return p;
	free(p);
	return NULL;
}

struct tape_request *tape_ops_new_request(struct tape_ops *o)
{
	struct tape_request *p = new_pending(o);

	if (p)
		clear_request(o, p, 0, o->e->call);
	return p;
}

static void remove_from_table(struct tape_ops *o, const struct tape_request *p)
{
	tape_requests_remove(NULL, &o->s->requests,
			     tape_ops_find(o, p->number));
}

int tape_ops_remove_request(struct tape_ops *o, struct tape_request *p)
{
	if (!p->number)
		return 0;
	unlink_one(o->s, p);
	remove_from_table(o, p);
	return tape_ops_free_later(o, p);
}

int tape_ops_rename(struct tape_ops *o, struct tape_request *p,
		    uint64_t number)
{
	struct tape_request **at;
	int rc = 0;

	remove_from_table(o, p);
	at = tape_ops_find(o, number);
	if (*at)
		rc = tape_ops_remove_request(o, *at);
	p->number = number;
	*tape_ops_find(o, number) = p;
	o->s->requests.used++;
	return rc;
}

struct tape_request *tape_ops_restart(struct tape_ops *o,
				      struct tape_request *p)
{
	struct tape_request *again = new_pending(o);

	if (!again)
		return NULL;
	/* its last round may not have been seen to end */
	unlink_one(o->s, p);
	/* what the call passed, not what a tool keeps of the last time: it may
	 * be at work on that, in another thread */
	clear_request(o, again, p->number, p->call);
	again->is_send = p->is_send;
	again->is_recv = p->is_recv;
	again->is_coll = p->is_coll;
	again->channel = p->channel;
	again->parts = p->parts;
	again->persistent = p->persistent;
	again->bytes = p->bytes;
	again->comm = p->comm;
	again->peer = p->peer;
	again->tag = p->tag;
	set_current_location(o, &again->begun);
	*tape_ops_find(o, p->number) = again;
	return tape_ops_free_later(o, p) ? NULL : again;
}

/* ---- the order of posting ---- */

void tape_ops_begun(const struct tape_ops *o, struct tape_request *r)
{
	set_current_location(o, &r->begun);
	r->begun.comm = 0;
	r->begun_ns = o->e->start_ns;
	memset(&r->ended, 0, sizeof r->ended);
	r->active = 1;
	r->posted = r->opened = r->has_key = 0;
}

/* Might w, whose message is not known, have got one of that key? */
static int may_match_wildcard(const struct tape_request *w,
			      const struct tape_match_key *k)
{
	return !w->has_key && w->key.comm == k->comm && w->key.way == k->way &&
	       (w->peer == TAPE_ANY_SOURCE || w->peer == k->src) &&
	       (w->tag == TAPE_ANY_TAG || w->tag == k->tag);
}

/* Has one that began before r a right to its message, or may have it? */
static int is_blocked_by_earlier(const struct tape_ops *o,
				 const struct tape_request *r)
{
	struct tape_request *w = o->s->first;

	while (w && w != r && !may_match_wildcard(w, &r->key))
		w = w->after;
	if (!w || w == r)
		return 0;
	w->in_the_way = 1;
	return 1;
}

enum tape_thread_order tape_ops_thread_order(const struct tape_trace *t)
{
	/* words of meta have no spaces (trace-format) */
	static const char open_mpi[] = "Open%20MPI%20";
	const char *name = tape_trace_meta(t, "library", 0);

	return name && !strncmp(name, open_mpi, strlen(open_mpi))
		       ? TAPE_ORDER_POSTS
		       : TAPE_ORDER_ENDS;
}

uint64_t tape_ops_key_hash(const struct tape_match_key *k)
{
	uint64_t x = k->comm ^ (uint64_t)(uint32_t)k->src << 32 ^
		     (uint32_t)k->dst;

	x = (x ^ x >> 31) * 0xd6e8feb86659fd93u;
	x ^= (uint64_t)(uint32_t)k->tag << 8 ^ (uint32_t)k->way;
	x = (x ^ x >> 31) * 0xd6e8feb86659fd93u;
	return x >> 24;
}

void tape_ops_note_thread(struct tape_ops *o, struct tape_request *r)
{
	struct shared *s = o->s;
	int32_t *thread;

	if (s->flows < 2)
		return;
	if (!s->threads)
		s->threads = calloc(2, sizeof *s->threads);
	r->begun.shared = 1;
	if (!s->threads)
		return; /* nothing is certain then */
	thread = &s->threads[r->is_send != 0]
			    [tape_ops_key_hash(&r->key) %
			     TAPE_THREADS_KEYS];
	if (!*thread)
		*thread = r->begun.thread + 1;
	else if (*thread != r->begun.thread + 1)
		*thread = -1;
	r->begun.shared = *thread < 0;
}

static int post_pending_receive(struct tape_ops *o, struct tape_request *r)
{
	unlink_one(o->s, r);
	r->posted = 1;
	tape_ops_note_thread(o, r);
	return tape_ops_add(o, TAPE_OP_POST, r) ? 0 : TAPE_ENOMEM;
}

static int add_end(struct tape_ops *o, struct tape_request *r, int how)
{
	struct tape_op *op = tape_ops_add(o, how == ENDED ? TAPE_OP_RECV_END
						     : TAPE_OP_GONE, r);

	if (!op)
		return TAPE_ENOMEM;
	op->arrived = r->arrived;
	return 0;
}

/* Posts r, which waited; what only the list held dies with this event. */
static int post_waiting(struct tape_ops *o, struct tape_request *r)
{
	int rc = post_pending_receive(o, r);

	if (!rc && r->over)
		rc = add_end(o, r, r->over);
	if (!rc && r->own) {
		r->own = 0;
		rc = tape_ops_free_later(o, r);
	}
	return rc;
}

/*
 * Called when a deferred receive has been matched or cancelled: posts the
 * receives that were queued behind it.
 */
static int post_unblocked(struct tape_ops *o)
{
	struct tape_request *next;
	int rc = 0;

	if (!o->s->deferred || !o->s->cleared)
		return 0;
	o->s->cleared = 0;
	for (struct tape_request *r = o->s->first; r && !rc; r = next) {
		next = r->after;
		if (r->has_key && !is_blocked_by_earlier(o, r))
			rc = post_waiting(o, r);
	}
	return rc;
}

int tape_ops_receive(struct tape_ops *o, struct tape_request *r)
{
	if (r->has_key && !is_blocked_by_earlier(o, r))
		return post_pending_receive(o, r);
	r->opened = 1;
	link_last(o->s, r);
	return tape_ops_add(o, TAPE_OP_OPEN, r) ? 0 : TAPE_ENOMEM;
}

int tape_ops_post_matched(struct tape_ops *o, struct tape_request *r,
			  int *posted)
{
	*posted = !o->s->in_order || !is_blocked_by_earlier(o, r);
	if (*posted)
		return post_pending_receive(o, r);
	link_last(o->s, r);
	return 0;
}

/*
 * r is over but stays in the list: a copy takes its place there, for the
 * request may be started again, and a blocking call's is gone at once.
 */
static int leave_copy(struct tape_ops *o, struct tape_request *r, int how)
{
	struct tape_request *copy = new_pending(o);

	if (!copy)
		return TAPE_ENOMEM;
	if (!r->listed)
		link_last(o->s, r);
	memcpy(copy, r, sizeof *r + o->tool);
	relink_neighbours(o->s, copy, copy, copy);
	r->listed = 0;
	copy->number = 0;
	copy->own = 1;
	copy->over = (uint8_t)how;
	o->behind += how == ENDED;
	return 0;
}

/* The key of r, which is in the list or not, is known from now on. */
static void set_key_known(struct tape_ops *o, struct tape_request *r)
{
	if (!r->has_key)
		o->s->deferred += r->listed;
	r->has_key = 1;
	o->s->cleared |= r->in_the_way;
	r->in_the_way = 0;
}

static int finish_receive(struct tape_ops *o, struct tape_request *r, int how)
{
	int rc;

	if (r->posted)
		return add_end(o, r, how);
	set_key_known(o, r);
	if (o->s->in_order && is_blocked_by_earlier(o, r)) {
		rc = leave_copy(o, r, how);
	} else {
		rc = post_pending_receive(o, r);
		if (!rc)
			rc = add_end(o, r, how);
	}
	return rc ? rc : post_unblocked(o);
}

int tape_ops_receive_end(struct tape_ops *o, struct tape_request *r)
{
	set_current_location(o, &r->ended);
	r->ended_ns = o->e->end_ns;
	r->awaited_ns = o->e->sr_ns;
	return finish_receive(o, r, ENDED);
}

int tape_ops_cancel_receive(struct tape_ops *o, struct tape_request *r)
{
	if (r->posted || r->opened) {
		if (!tape_ops_add(o, TAPE_OP_CANCEL, r))
			return TAPE_ENOMEM;
		if (r->posted)
			return 0;
	}
	unlink_one(o->s, r);
	return post_unblocked(o);
}

int tape_ops_end_left_out(struct tape_ops *o, struct tape_request *r)
{
	return !r->left_out || tape_ops_add(o, TAPE_OP_LEFT_OUT, r)
		       ? 0
		       : TAPE_ENOMEM;
}

int tape_ops_drop_receive(struct tape_ops *o, struct tape_request *r, int ended)
{
	if (ended) {
		set_current_location(o, &r->ended);
		r->ended_ns = o->e->end_ns;
	}
	if (r->posted || r->has_key)
		return finish_receive(o, r, GONE);
	unlink_one(o->s, r);
	return add_end(o, r, GONE) ? TAPE_ENOMEM : post_unblocked(o);
}

/* Receives that were cancelled, and not asked about again. */
static int end_cancelled_receives(struct tape_ops *o)
{
	int rc = 0;

	for (uint64_t i = 0; !rc && i <= o->s->requests.mask; i++) {
		struct tape_request *r = o->s->requests.list[i];

		if (r && r->is_recv && r->active && r->cancelled &&
		    (r->posted || r->listed))
			rc = tape_ops_cancel_receive(o, r);
	}
	return rc;
}

int tape_ops_end_all_receives(struct tape_ops *o)
{
	struct tape_request *next;
	int rc = end_cancelled_receives(o);

	for (struct tape_request *r = o->s->first; r && !rc; r = next) {
		next = r->after;
		if (r->has_key) {
			rc = post_waiting(o, r);
		} else {
			unlink_one(o->s, r);
			rc = add_end(o, r, GONE);
		}
	}
	return rc;
}

uint32_t tape_ops_behind(const struct tape_ops *o)
{
	return o->behind;
}

uint64_t tape_ops_left_out(const struct tape_ops *o)
{
	return o->s->left_out;
}

uint64_t tape_ops_unknown(const struct tape_ops *o)
{
	return o->s->unknown;
}

void tape_ops_region(struct tape_ops *o, uint32_t region)
{
	o->region = region;
}

struct tape_request *tape_ops_find_request(struct tape_ops *o, uint64_t number)
{
	return number ? *tape_ops_find(o, number) : NULL;
}

void tape_ops_set_pvm_groups(struct tape_ops *o,
			     const struct tape_pvm_groups *m)
{
	o->s->pvm_groups = m;
}

void tape_ops_in_order(struct tape_ops *o)
{
	o->s->in_order = 1;
}
