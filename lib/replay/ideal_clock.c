/* The times of a run whose messages take no time; see ideal_clock.h. */
#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "ideal_clock.h"
#include "table.h"
#include "tape_ids.h"

struct ideal_flow {
	struct tape_ideal_time begun, now;
	int64_t last_ns;       /* end of its latest event, as recorded */
	double alpha_after_ns; /* of that, and its errors */
	double after_less_ns, after_more_ns;
	int has_begun, in_event;
};

struct tape_ideal_clock {
	const struct tape_trace *t;
	int has_errors;
	struct ideal_flow *flow, *turn;
	int64_t origin_ns;
	int has_origin, is_unknown;
	struct tape_table posts; /* struct tape_ideal_post by key */
};

const struct tape_ideal_time tape_ideal_no_time = {NAN, NAN, NAN};

struct tape_ideal_time tape_ideal_later(struct tape_ideal_time a,
					struct tape_ideal_time b)
{
	return (struct tape_ideal_time){fmax(a.ns, b.ns),
					fmax(a.least_ns, b.least_ns),
					fmax(a.most_ns, b.most_ns)};
}

struct tape_ideal_clock *tape_ideal_new(const struct tape_trace *t,
					int has_errors)
{
	struct tape_ideal_clock *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->t = t;
	c->has_errors = has_errors;
	c->posts.bytes = sizeof(struct tape_ideal_post);
	c->flow = calloc(tape_trace_flows(t) + 1, sizeof *c->flow);
	if (c->flow)
		return c;
	tape_ideal_free(c);
	return NULL;
}

void tape_ideal_free(struct tape_ideal_clock *c)
{
	if (!c)
		return;
	tape_table_free(&c->posts);
	free(c->flow);
	free(c);
}

static int is_init(const struct tape_event *e)
{
	return e->call == TAPE_CALL_MPI_Init ||
	       e->call == TAPE_CALL_MPI_Init_thread;
}

/* What of the event is a call: the rest of it is computing. */
static double time_in_call(const struct tape_event *e)
{
	switch (e->class_) {
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_BLOCK:
	case TAPE_CLASS_COUNTED:
	case TAPE_CLASS_ON:
		return 0;
	default:
		return e->call ? (double)e->inside_ns : 0;
	}
}

/* The first flow of the rank of that flow: they follow each other. */
static const struct ideal_flow *first_of_rank(const struct tape_ideal_clock *c,
					      size_t flow)
{
	int rank = tape_trace_flow(c->t, flow)->rank;

	while (flow && tape_trace_flow(c->t, flow - 1)->rank == rank)
		flow--;
	return &c->flow[flow];
}

/* A time that is known. */
static struct tape_ideal_time make_exact_time(double ns)
{
	return (struct tape_ideal_time){ns, ns, ns};
}

/* Errors of the alphas of e: how much less and more they may be, ns. */
static struct tape_alpha_error get_alpha_error(const struct tape_ideal_clock *c,
					       const struct tape_event *e)
{
	struct tape_alpha_error a = {0, 0, 0, 0};

	if (c->has_errors)
		tape_event_alpha_error(c->t, e, &a);
	return a;
}

/*
 * The flow computes for ns, without alphas that may be so much less and more.
 * It does not compute for a negative time.
 */
static void advance_time(struct tape_ideal_time *t, double ns, double less,
			 double more)
{
	t->ns += ns;
	t->least_ns += fmin(ns, fmax(ns - more, 0));
	t->most_ns += ns + less;
}

/* A thread begins when the first one of its rank is that far. */
static struct tape_ideal_time begin_flow(struct tape_ideal_clock *c,
					 const struct tape_event *e,
					 const struct tape_alpha_error *a)
{
	const struct ideal_flow *f = first_of_rank(c, e->flow);
	struct tape_ideal_time t;

	if (!c->has_origin) {
		c->has_origin = 1;
		c->origin_ns = e->start_ns;
	}
	if (!f->has_begun) {
		t = make_exact_time((double)(e->start_ns - c->origin_ns));
		t.least_ns -= a->before_more;
		t.most_ns += a->before_less;
		return t;
	}
	if (f->in_event)
		return f->begun;
	t = f->now;
	advance_time(&t, (double)(e->start_ns - f->last_ns) - f->alpha_after_ns,
		     f->after_less_ns, f->after_more_ns);
	/* the alpha before the first event is not taken off */
	t.least_ns -= c->has_errors * (e->alpha_before_ns + a->before_more);
	return t;
}

void tape_ideal_begin(struct tape_ideal_clock *c, const struct tape_event *e)
{
	struct ideal_flow *f = &c->flow[e->flow];
	struct tape_alpha_error a = get_alpha_error(c, e);

	if (f->has_begun)
		advance_time(&f->now,
			     (double)(e->start_ns - f->last_ns) -
				 f->alpha_after_ns - tape_event_alpha_before(e),
			     f->after_less_ns + a.before_less,
			     f->after_more_ns + a.before_more);
	else
		f->now = begin_flow(c, e, &a);
	f->has_begun = f->in_event = 1;
	f->begun = f->now;
}

void tape_ideal_end(struct tape_ideal_clock *c, const struct tape_event *e)
{
	struct ideal_flow *f = &c->flow[e->flow];
	struct tape_alpha_error a = get_alpha_error(c, e);
	/* of a run the errors are those of all its calls */
	int is_run = e->polls > 1;

	if (is_init(e))
		f->now = make_exact_time((double)(e->end_ns - c->origin_ns));
	else
		advance_time(&f->now,
			     (double)(e->end_ns - e->start_ns) -
				 time_in_call(e) - tape_event_alpha_within(e),
			     is_run ? a.before_less + a.after_less : 0,
			     is_run ? a.before_more + a.after_more : 0);
	f->in_event = 0;
	f->last_ns = e->end_ns;
	f->alpha_after_ns = tape_event_alpha_after(e);
	f->after_less_ns = a.after_less;
	f->after_more_ns = a.after_more;
}

struct tape_ideal_time tape_ideal_begun(const struct tape_ideal_clock *c,
					size_t flow)
{
	return c->flow[flow].begun;
}

struct tape_ideal_time tape_ideal_now(const struct tape_ideal_clock *c,
				      size_t flow)
{
	return c->flow[flow].now;
}

void tape_ideal_set_turn(struct tape_ideal_clock *c, size_t flow)
{
	c->turn = &c->flow[flow];
}

struct tape_ideal_time tape_ideal_turn(const struct tape_ideal_clock *c)
{
	return c->turn->now;
}

void tape_ideal_wait(struct tape_ideal_clock *c, struct tape_ideal_time until)
{
	c->turn->now = tape_ideal_later(c->turn->now, until);
}

/* ---- sends that are held ---- */

int tape_ideal_add_post(struct tape_ideal_clock *c, uint64_t key,
			const struct tape_ideal_post *post)
{
	struct tape_ideal_post *p = tape_table_get(&c->posts, key);

	if (!p)
		return TAPE_ENOMEM;
	*p = *post;
	return 0;
}

int tape_ideal_take_post(struct tape_ideal_clock *c, uint64_t key,
			 struct tape_ideal_post *post)
{
	const struct tape_ideal_post *p =
	    c->posts.used ? tape_table_find(&c->posts, key) : NULL;

	if (!p)
		return 0;
	*post = *p;
	tape_table_drop(&c->posts, key);
	return 1;
}

int tape_ideal_can_hold(const struct tape_ideal_clock *c, int rank,
			unsigned call)
{
	unsigned traits = tape_call_traits(call);

	return !(traits & (TAPE_TRAIT_BUFFERED | TAPE_TRAIT_READY)) &&
	       !tape_trace_rank(c->t, rank)->tid;
}

void tape_ideal_end_send(struct tape_ideal_clock *c, const struct tape_event *e,
			 unsigned call, const struct tape_ideal_post *post)
{
	int was_held =
	    post->start_ns > e->start_ns && post->start_ns <= e->end_ns;

	if (e->class_ != TAPE_CLASS_SEND && e->class_ != TAPE_CLASS_WAIT)
		return;
	if (was_held || tape_call_traits(call) & TAPE_TRAIT_SYNCHRONOUS)
		tape_ideal_wait(c, post->ideal);
}

void tape_ideal_set_unknown(struct tape_ideal_clock *c)
{
	c->is_unknown = 1;
}

int tape_ideal_is_known(const struct tape_ideal_clock *c)
{
	return !c->is_unknown;
}
