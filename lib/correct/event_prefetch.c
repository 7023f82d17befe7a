/* Batches of events, turned over by whoever has time; see event_prefetch.h. */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "event_prefetch.h"
#include "tool.h"

/*
 * Batches of a flow: one that the traversal goes through, after one whose last
 * event may still be without its dates; with workers more, for these are woken
 * when there are several to turn over, and others have to be ready then: to
 * wake a thread takes as long as some hundred events.
 */
enum { BATCHES_ALONE = 2, BATCHES = 8, BATCHES_WAKE = 4 };

/*
 * Events of a batch, at most; and of all batches together, so that they stay in
 * the caches, from one thread to the other, too: an event has 304 bytes, and
 * 16 for each counter.
 */
enum { ROOM_ALONE = 32, ROOM = 256, ROOM_LEAST = 2, ROOM_ALL = 8192 };

/* A thread needs little of it; the memory may be bounded. */
#define STACK_BYTES 131072

/* What is known of an event that was put. */
struct corrected {
	int64_t start_ns, end_ns;
	struct tape_delay p_end;
};

struct batch {
	struct tape_batch *in;
	size_t n, dated;
	struct tape_ops_list ops;
	int *after; /* of each event: of how many with it */
	int no_memory;
	int rc;		     /* 0: the flow is over; negative too */
	struct corrected *c; /* of each event */
};

/*
 * The k-th batch of a flow is in ring[k % n]. Batches are handed in, empty or
 * with the dates of all their events, and turned over: encoded, filled.
 */
struct feed {
	struct feeds *all;
	struct tape_flow *from;
	struct tape_flow_writer *to;
	int certified, coarse;
	int64_t last_ns; /* end of the event written last */
	struct causality causality;
	struct tape_ops *ops;
	struct batch *now; /* the batch in progress, */
	size_t at;	   /* and the event in it */
	uint64_t taken;	   /* batch in progress plus 1 */
	int put;	   /* where events are put in the ring */
	/* the workers', too */
	uint64_t handed, turned;
	int queued, busy, failed;
	struct feed *next; /* in the queue */
	struct batch ring[];
};

struct feeds {
	pthread_mutex_t lock;
	pthread_cond_t work, turned;
	pthread_t *workers;
	int n_workers, n, stop; /* n: batches in use of each flow */
	size_t room;
	struct feed *first, *last; /* that have batches to turn over */
};

/* ---- turning over; all->lock is held but while bytes are at work ---- */

/* Whole ns, upwards, but for the rounding errors of many additions. */
static int64_t round_up_ns(double ns)
{
	return ns > 1e-3 ? (int64_t)ceil(fmin(ns, 1e18) - 1e-3) : 0;
}

/*
 * The next number of BOUND_BITS bits. Bounds that grow with each event would
 * need a record with each.
 */
enum { BOUND_BITS = 5 };
static int64_t coarsen_bound(int64_t ns)
{
	int bits = ns > 0 ? 64 - __builtin_clzll((uint64_t)ns) : 0;
	int less = bits > BOUND_BITS ? bits - BOUND_BITS : 0;

	return less ? (((ns - 1) >> less) + 1) << less : ns;
}

/* Nonzero: it could not be written. */
static int write_batch_event(struct feed *f, struct tape_flow_writer *to,
			     const struct tape_event *e,
			     const struct corrected *c)
{
	const struct tape_delay *p = &c->p_end;
	int64_t earlier = 0, later = 0;

	causality_check_order(&f->causality, f->last_ns, c->start_ns,
			      c->end_ns);
	f->last_ns = c->end_ns;
	if (f->certified) {
		earlier = round_up_ns(p->hi - p->p);
		later = round_up_ns(p->p - p->lo);
	}
	if (f->coarse) {
		earlier = coarsen_bound(earlier);
		later = coarsen_bound(later);
	}
	return tape_flow_writer_dated(to, e, c->start_ns, c->end_ns, earlier,
				      later) < 0;
}

static void fill_batch(struct feed *f, struct batch *b)
{
	int n = 0;

	b->rc = tape_flow_batch(f->from, b->in);
	if (b->rc <= 0)
		return;
	b->n = tape_batch_size(b->in);
	for (size_t i = 0; f->ops && n >= 0 && i < b->n; i++) {
		n = tape_ops_append(f->ops, tape_batch_event(b->in, i),
				    &b->ops);
		b->after[i] = b->ops.n;
	}
	b->no_memory = n < 0;
}

/* The oldest batch of those handed in; nobody else is busy with the flow. */
static void process_batch(struct feed *f)
{
	struct batch *b = &f->ring[f->turned % (uint64_t)f->all->n];
	const struct batch *before =
	    &f->ring[(f->turned + (uint64_t)f->all->n - 1) %
		     (uint64_t)f->all->n];
	struct tape_flow_writer *to = f->to;
	int failed = 0;

	f->busy = 1;
	pthread_mutex_unlock(&f->all->lock);
	for (size_t i = 0; to && i < b->n; i++)
		failed |= write_batch_event(f, to, tape_batch_event(b->in, i),
					    &b->c[i]);
	b->dated = b->n = 0;
	if (f->ops)
		tape_ops_clear(f->ops, &b->ops);
	if (before->rc <= 0 && f->turned)
		b->rc = before->rc;
	else
		fill_batch(f, b);
	pthread_mutex_lock(&f->all->lock);
	f->busy = 0;
	f->failed |= failed;
	f->turned++;
}

static void enqueue_feed(struct feed *f)
{
	struct feeds *all = f->all;

	if (f->handed - f->turned < BATCHES_WAKE || !all->n_workers ||
	    f->queued || f->busy)
		return;
	f->queued = 1;
	f->next = NULL;
	*(all->first ? &all->last->next : &all->first) = f;
	all->last = f;
	pthread_cond_signal(&all->work);
}

static void dequeue_feed(struct feed *f)
{
	struct feed **at = &f->all->first, *before = NULL;

	if (!f->queued)
		return;
	while (*at != f) {
		before = *at;
		at = &before->next;
	}
	*at = f->next;
	if (f->all->last == f)
		f->all->last = before;
	f->queued = 0;
}

static void *run_worker(void *p)
{
	struct feeds *all = p;

	pthread_mutex_lock(&all->lock);
	for (;;) {
		struct feed *f = all->first;

		if (f) {
			dequeue_feed(f);
			while (f->turned < f->handed) {
				process_batch(f);
				pthread_cond_signal(&all->turned);
			}
		} else if (all->stop) {
			break;
		} else {
			pthread_cond_wait(&all->work, &all->lock);
		}
	}
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

/* Until so many batches are turned over. Who waits may as well do it. */
static void wait_for_batches(struct feed *f, uint64_t turned)
{
	while (f->turned < turned) {
		if (f->busy) {
			pthread_cond_wait(&f->all->turned, &f->all->lock);
		} else {
			dequeue_feed(f);
			process_batch(f);
		}
	}
	if (f->turned < f->handed)
		enqueue_feed(f);
}

/* Hands in the batches, up to the one in progress, that are done with. */
static void hand_in(struct feed *f)
{
	uint64_t n = (uint64_t)f->all->n;

	while (f->handed < f->taken + n &&
	       (!f->to ||
		f->ring[f->handed % n].dated == f->ring[f->handed % n].n))
		f->handed++;
}

/* ---- the threads ---- */

struct feeds *feeds_new(int workers, size_t flows)
{
	struct feeds *all = tape_must(calloc(1, sizeof *all));
	size_t room = workers ? ROOM : ROOM_ALONE;
	pthread_attr_t attr;

	all->room = ROOM_ALL / BATCHES / (flows + 1);
	all->room = all->room > room ? room : all->room;
	all->room = all->room < ROOM_LEAST ? ROOM_LEAST : all->room;
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->work, NULL);
	pthread_cond_init(&all->turned, NULL);
	all->workers =
	    tape_must(calloc((size_t)workers + 1, sizeof *all->workers));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	while (all->n_workers < workers &&
	       !pthread_create(&all->workers[all->n_workers], &attr, run_worker,
			       all))
		all->n_workers++;
	pthread_attr_destroy(&attr);
	all->n = all->n_workers ? BATCHES : BATCHES_ALONE;
	return all;
}

void feeds_free(struct feeds *all)
{
	pthread_mutex_lock(&all->lock);
	all->stop = 1;
	pthread_cond_broadcast(&all->work);
	pthread_mutex_unlock(&all->lock);
	for (int i = 0; i < all->n_workers; i++)
		pthread_join(all->workers[i], NULL);
	pthread_mutex_destroy(&all->lock);
	pthread_cond_destroy(&all->work);
	pthread_cond_destroy(&all->turned);
	free(all->workers);
	free(all);
}

/* ---- flows ---- */

struct feed *feed_open(struct feeds *all, struct tape_flow *from)
{
	struct feed *f =
	    tape_must(calloc(1, sizeof *f + (size_t)all->n * sizeof *f->ring));

	f->all = all;
	f->from = from;
	for (int i = 0; i < all->n; i++) {
		f->ring[i].in = tape_must(tape_batch_new(all->room));
		f->ring[i].c =
		    tape_must(malloc(all->room * sizeof(struct corrected)));
	}
	f->handed = (uint64_t)all->n;
	return f;
}

void feed_set_ops(struct feed *f, struct tape_ops *ops)
{
	f->ops = ops;
	for (int i = 0; i < f->all->n; i++)
		f->ring[i].after =
		    tape_must(malloc(f->all->room * sizeof(int)));
}

struct tape_op *feed_event_ops(const struct feed *f, int *n)
{
	const struct batch *b = f->now;
	int before = f->at > 1 ? b->after[f->at - 2] : 0;
	int after = b->after[f->at - 1];

	*n = after - before;
	return b->ops.op + before;
}

void feed_set_writer(struct feed *f, struct tape_flow_writer *to,
		     int64_t first_ns, int certified, int coarse)
{
	pthread_mutex_lock(&f->all->lock);
	f->to = to;
	f->last_ns = first_ns;
	f->certified = certified;
	f->coarse = coarse;
	pthread_mutex_unlock(&f->all->lock);
}

/* The next batch, when it is there. */
static void next_batch(struct feed *f)
{
	struct batch *b = &f->ring[f->taken % (uint64_t)f->all->n];

	pthread_mutex_lock(&f->all->lock);
	hand_in(f);
	wait_for_batches(f, f->taken + 1);
	while (f->failed && f->busy)
		pthread_cond_wait(&f->all->turned, &f->all->lock);
	if (f->failed)
		tape_flow_writer_check(f->to);
	pthread_mutex_unlock(&f->all->lock);
	f->taken++;
	f->now = b;
	f->at = 0;
	/* a damaged flow is over: tape_damage_warn says so in the end */
	if (b->no_memory || b->rc == TAPE_ENOMEM)
		tape_die_no_memory();
}

const struct tape_event *feed_next_event(struct feed *f)
{
	if (!f->now || (f->at == f->now->n && f->now->rc > 0))
		next_batch(f);
	return f->now->rc > 0 ? tape_batch_event(f->now->in, f->at++) : NULL;
}

void feed_write_event(struct feed *f, const struct tape_event *e,
		      int64_t start_ns, int64_t end_ns,
		      const struct tape_delay *p_end)
{
	struct batch *b = &f->ring[f->put];
	struct corrected *c = &b->c[b->dated];

	assert(tape_batch_event(b->in, b->dated) == e);
	c->start_ns = start_ns;
	c->end_ns = end_ns;
	c->p_end.p = p_end->p;
	c->p_end.lo = p_end->lo;
	c->p_end.hi = p_end->hi;
	if (++b->dated == b->n)
		f->put = (f->put + 1) % f->all->n;
}

enum tape_end feed_finish(struct feed *f, struct causality *c)
{
	enum tape_end why;
	uint64_t lost;

	pthread_mutex_lock(&f->all->lock);
	hand_in(f);
	wait_for_batches(f, f->handed);
	pthread_mutex_unlock(&f->all->lock);
	why = tape_flow_end(f->from, &lost);
	if (f->to)
		tape_flow_writer_close(f->to, why, lost);
	f->to = NULL;
	causality_add(c, &f->causality);
	return why;
}

void feed_close(struct feed *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->all->lock);
	dequeue_feed(f);
	while (f->busy)
		pthread_cond_wait(&f->all->turned, &f->all->lock);
	pthread_mutex_unlock(&f->all->lock);
	if (f->to)
		tape_flow_writer_close(f->to, TAPE_END_NONE, 0);
	for (int i = 0; i < f->all->n; i++) {
		tape_batch_free(f->ring[i].in);
		tape_ops_list_free(&f->ring[i].ops);
		free(f->ring[i].after);
		free(f->ring[i].c);
	}
	tape_flow_close(f->from);
	free(f);
}
