/*
 * The traversal; see engine.h. Each flow has one event under way. What the
 * event tells others (a message sent, a receive posted, a collective entered)
 * is published at once, with the perturbation at its start; then the event
 * waits until what it depends on is there. Starts never wait, so the order is
 * free of cycles in a whole trace; in a broken one, or where a wildcard hides
 * a rendezvous, the oldest event that waits is let go and counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "message.h"
#include "writer.h"

struct flow {
	struct tape_flow *reader;
	struct tape_flow_writer *writer;
	struct tape_ops *ops;
	const struct tape_event *e; /* under way, or NULL */
	struct tape_op *list;
	int n_ops, forced, finished, rank;
	double p;                   /* perturbation before e */
	double p_start;             /* at its start */
	/* a run of failed tests that the next event may turn into a wait */
	int run;
	struct tape_event run_event;
	double run_p;
	int64_t last_ta;
	int64_t reached;            /* end of its last event, as corrected */
};

struct engine {
	struct tape_trace *t;
	const struct eager *eager;
	struct tape_comm_learner *learner;
	const struct tape_comm_model *model;
	struct result *r;
	struct flow *flows;
	size_t n_flows;
	struct tape_match *match;
	struct tape_rounds *rounds;
	int *host; /* of each rank, numbered */
};

/* What one ended action says of the end of its event. */
struct candidate {
	double ready;  /* relative to the end: when it was over, as measured */
	double p;      /* at the end, if this one decided */
	double least;  /* p at the end at most, if another did */
};

/* ---- distances and protocols ---- */

static enum tape_distance distance(const struct engine *g, int a, int b)
{
	if (a == b)
		return TAPE_SELF;
	return g->host[a] == g->host[b] ? TAPE_SHM : TAPE_NET;
}

static int is_rendezvous(const struct engine *g, const struct tape_pending *r,
			 uint64_t bytes)
{
	switch (r->call) {
	case TAPE_CALL_MPI_Ssend:
	case TAPE_CALL_MPI_Issend:
	case TAPE_CALL_MPI_Ssend_init:
		return 1;
	case TAPE_CALL_MPI_Bsend:
	case TAPE_CALL_MPI_Ibsend:
	case TAPE_CALL_MPI_Bsend_init:
		return 0;
	default:
		return bytes > g->eager->bytes[distance(g, r->key.src,
							r->key.dst)];
	}
}

/* ---- publishing ---- */

static void publish(struct engine *g, struct flow *f, struct tape_op *op)
{
	struct tape_slot *s;
	struct tape_round *q;

	switch (op->kind) {
	case TAPE_OP_SEND:
		op->r->slot = tape_match_send(g->match, &op->key);
		if (op->r->slot == TAPE_NO_SLOT)
			tape_die(TAPE_FAILED, "out of memory");
		s = tape_match_slot(g->match, op->r->slot);
		s->send.start_ns = f->e->start_ns;
		s->send.p = f->p_start;
		s->send.bytes = op->bytes;
		/* the receiver has to tell the protocols apart */
		s->send.flow = is_rendezvous(g, op->r, op->bytes);
		op->r->start_ns = f->e->start_ns;
		op->r->p = f->p_start;
		if (!s->send.flow)
			tape_match_done(g->match, op->r->slot, 1);
		break;
	case TAPE_OP_POST:
		op->r->slot = tape_match_post(g->match, &op->key);
		if (op->r->slot == TAPE_NO_SLOT)
			tape_die(TAPE_FAILED, "out of memory");
		s = tape_match_slot(g->match, op->r->slot);
		s->recv.start_ns = f->e->start_ns;
		s->recv.p = f->p_start;
		break;
	case TAPE_OP_ENTER:
		q = tape_rounds_get(g->rounds, op->key.comm, op->r->k,
				    op->r->size);
		if (!q)
			tape_die(TAPE_FAILED, "out of memory");
		tape_round_enter(q, op->r->rank, f->e->start_ns, f->p_start);
		break;
	case TAPE_OP_CANCEL:
		tape_match_cancel(g->match, &op->key, op->r->slot);
		break;
	case TAPE_OP_RECV_END:
	case TAPE_OP_SEND_END:
	case TAPE_OP_PROBE:
	case TAPE_OP_LEAVE:
		break;
	}
}

/* ---- waiting ---- */

static int was_sent_rendezvous(const struct tape_slot *s)
{
	return s->send.there && s->send.flow;
}

static int round_ready(const struct tape_round *q, const struct tape_pending *r)
{
	switch (r->shape) {
	case TAPE_SHAPE_FROM:
		return r->root < 0 || r->root >= q->size ||
		       q->start_ns[r->root] != INT64_MIN;
	case TAPE_SHAPE_TO:
		return r->root != r->rank || q->entered == q->size;
	case TAPE_SHAPE_SCAN:
		for (int i = 0; i < r->rank && i < q->size; i++)
			if (q->start_ns[i] == INT64_MIN)
				return 0;
		return 1;
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_ALL:
		break;
	}
	return q->entered == q->size;
}

/* Is everything there that the operation's end depends on? */
static int ready(struct engine *g, const struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_RECV_END:
		return tape_match_slot(g->match, op->r->slot)->send.there;
	case TAPE_OP_SEND_END:
		if (op->r->slot == TAPE_NO_SLOT ||
		    !is_rendezvous(g, op->r, op->r->bytes))
			return 1;
		return tape_match_slot(g->match, op->r->slot)->recv.there;
	case TAPE_OP_PROBE:
		if (op->r->posted)
			return tape_match_slot(g->match,
					       op->r->slot)->send.there;
		return tape_match_peek(g->match, &op->key) != TAPE_NO_SLOT;
	case TAPE_OP_LEAVE:
		return round_ready(tape_rounds_get(g->rounds, op->key.comm,
						   op->r->k, op->r->size),
				   op->r);
	case TAPE_OP_SEND:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
		break;
	}
	return 1;
}

/* ---- the end of an action ---- */

/* Where the wait of an event began: with the run of failed tests before it. */
static int64_t wait_start(const struct flow *f, double *p)
{
	*p = f->run ? f->run_p : f->p_start;
	return f->run ? f->run_event.start_ns : f->e->start_ns;
}

/*
 * Had it arrived when the wait began? Where that was not asked: a run of
 * failed tests says no, a test that succeeds at once says yes, else the model
 * has to tell.
 */
static int had_arrived(const struct flow *f, uint32_t asked,
		       const struct tape_transfer *x)
{
	if (f->run)
		return 0;
	if (asked < 2)
		return asked == 1;
	if (f->e->class_ == TAPE_CLASS_TEST ||
	    f->e->class_ == TAPE_CLASS_IPROBE ||
	    f->e->class_ == TAPE_CLASS_IMPROBE ||
	    f->e->class_ == TAPE_CLASS_MRECV)
		return 1;
	return (double)(x->sr_ns - x->s_ns) >= x->transit_ns;
}

/*
 * A rendezvous moves its data when both ends have begun, at X = max(S, P), P
 * being where the receive was posted; so ta(X) = max(ta(S), ta(P)) (4.4).
 */
static void meet(const struct tape_slot *s, struct tape_transfer *x)
{
	double apart = (double)(s->recv.start_ns - s->send.start_ns);
	double ta = fmax(-s->send.p, apart - s->recv.p); /* after S */

	x->s_ns = s->send.start_ns;
	x->ps = s->send.p;
	if (!s->recv.there)
		return;
	if (apart > 0)
		x->s_ns = s->recv.start_ns;
	x->ps = fmax(apart, 0) - ta;
}

/*
 * What x says of an event that waited for others, too. Transit and DC are the
 * model's, kept within what was seen: an arrived message was there at SR, any
 * other came later, and both were over by ER.
 */
static void weigh(const struct tape_transfer *x, struct candidate *c)
{
	double sr = (double)(x->sr_ns - x->er_ns);
	double s = (double)(x->s_ns - x->er_ns);
	double dc = fmax(fmin(x->dc_ns, -sr), 0), b = s + x->transit_ns;

	b = x->arrived ? fmin(b, sr) : fmax(fmin(b, -dc), sr);
	c->ready = fmax(sr, b) + dc;
	c->least = -(fmax(sr - x->pr, s - x->ps + fmax(b - s, 0)) + dc);
}

/*
 * Of an event that completes several things only the last to come tells how
 * long it took; latest is when the last of them was sent.
 */
static void learn(struct engine *g, const struct flow *f,
		  const struct tape_op *op, const struct tape_slot *s,
		  int alone, int64_t latest)
{
	double unused;

	if (op->kind != TAPE_OP_RECV_END || was_sent_rendezvous(s) ||
	    (op->arrived == 2 && !f->run))
		return;
	if (!alone && (op->arrived == 1 || s->send.start_ns != latest))
		return;
	tape_comm_learn(g->learner, distance(g, op->key.src, op->key.dst),
			s->send.bytes, s->send.start_ns,
			wait_start(f, &unused), f->e->end_ns,
			op->arrived == 1 && !f->run);
}

/* A receive, or a probe, of the message in s. */
static struct candidate receive(struct engine *g, struct flow *f,
				const struct tape_op *op,
				const struct tape_slot *s)
{
	enum tape_distance d = distance(g, op->key.src, op->key.dst);
	struct tape_transfer x = { .s_ns = s->send.start_ns,
				   .ps = s->send.p,
				   .er_ns = f->e->end_ns,
				   .dmax_ns = INFINITY };
	int probe = op->kind == TAPE_OP_PROBE;
	int rendezvous = was_sent_rendezvous(s);
	struct tape_perturb_count *count = rendezvous ? NULL : &g->r->count;
	struct candidate c;

	x.sr_ns = wait_start(f, &x.pr);
	/* of a rendezvous, the envelope is all that a probe waits for */
	x.transit_ns = tape_comm_transit(g->model, d, probe && rendezvous
							      ? 0
							      : s->send.bytes);
	if (!probe && !rendezvous)
		x.dc_ns = tape_comm_dc(g->model, d, s->send.bytes);
	if (!probe && rendezvous) {
		g->r->count.rendezvous++;
		meet(s, &x);
	}
	/* a blocking receive is asked for the envelope, which tells nothing */
	if (!probe && rendezvous && !op->r->number) {
		c.p = tape_perturb_join(x.er_ns, x.sr_ns, x.pr, x.s_ns, x.ps,
					&g->r->count);
	} else {
		x.arrived = had_arrived(f, op->arrived, &x);
		c.p = tape_perturb_receive(&x, count);
	}
	weigh(&x, &c);
	return c;
}

/* The end of a rendezvous at its sender. */
static struct candidate send_end(struct engine *g, struct flow *f,
				 const struct tape_op *op)
{
	const struct tape_slot *s = tape_match_slot(g->match, op->r->slot);
	enum tape_distance d = distance(g, op->key.src, op->key.dst);
	struct tape_transfer x = { .er_ns = f->e->end_ns,
				   .dmax_ns = INFINITY };
	struct candidate c;

	x.sr_ns = wait_start(f, &x.pr);
	x.transit_ns = tape_comm_transit(g->model, d, op->r->bytes);
	meet(s, &x);
	if (!op->r->number) {
		c.p = tape_perturb_join(x.er_ns, x.sr_ns, x.pr, x.s_ns, x.ps,
					&g->r->count);
	} else {
		x.arrived = had_arrived(f, 2, &x);
		c.p = tape_perturb_receive(&x, NULL);
	}
	weigh(&x, &c);
	return c;
}

static struct candidate leave(struct engine *g, struct flow *f,
			      const struct tape_op *op)
{
	struct tape_round *q = tape_rounds_get(g->rounds, op->key.comm,
					       op->r->k, op->r->size);
	const struct tape_pending *r = op->r;
	struct candidate c;
	double p, other_p;
	int64_t sr = wait_start(f, &p), other = sr;

	other_p = p;
	if (r->shape == TAPE_SHAPE_FROM && r->root >= 0 && r->root < q->size) {
		other = q->start_ns[r->root];
		other_p = q->p[r->root];
	} else if (r->shape == TAPE_SHAPE_SCAN) {
		double ta = -p;

		for (int i = 0; i < r->rank && i < q->size; i++) {
			if (q->start_ns[i] > other)
				other = q->start_ns[i];
			ta = fmax(ta, (double)(q->start_ns[i] - sr) - q->p[i]);
		}
		other_p = (double)(other - sr) - ta;
	} else if (r->shape != TAPE_SHAPE_TO || r->root == r->rank) {
		other = q->latest_ns;
		other_p = (double)(q->latest_ns - q->base_ns) - q->latest_ta;
	}
	c.p = tape_perturb_join(f->e->end_ns, sr, p, other, other_p,
				&g->r->count);
	c.ready = (double)(other - f->e->end_ns);
	c.least = -(c.ready - other_p);
	return c;
}

/* Does the operation end something that may have had to be waited for? */
static int may_wait(const struct engine *g, const struct tape_op *op)
{
	switch (op->kind) {
	case TAPE_OP_RECV_END:
	case TAPE_OP_PROBE:
	case TAPE_OP_LEAVE:
		return 1;
	case TAPE_OP_SEND_END:
		return op->r->slot != TAPE_NO_SLOT &&
		       is_rendezvous(g, op->r, op->r->bytes);
	case TAPE_OP_SEND:
	case TAPE_OP_POST:
	case TAPE_OP_ENTER:
	case TAPE_OP_CANCEL:
		break;
	}
	return 0;
}

static const struct tape_slot *slot_of(struct engine *g,
				       const struct tape_op *op)
{
	uint32_t slot = op->kind == TAPE_OP_PROBE && !op->r->posted
				? tape_match_peek(g->match, &op->key)
				: op->r->slot;

	return tape_match_slot(g->match, slot);
}

static struct candidate candidate(struct engine *g, struct flow *f,
				  const struct tape_op *op)
{
	if (op->kind == TAPE_OP_SEND_END)
		return send_end(g, f, op);
	if (op->kind == TAPE_OP_LEAVE)
		return leave(g, f, op);
	return receive(g, f, op, slot_of(g, op));
}

/* The event is over, with its partner or without: frees what it held. */
static void release(struct engine *g, const struct tape_op *op)
{
	struct tape_round *q;

	if (op->kind == TAPE_OP_RECV_END) {
		tape_match_done(g->match, op->r->slot, 2);
	} else if (op->kind == TAPE_OP_SEND_END) {
		tape_match_done(g->match, op->r->slot, 1);
	} else if (op->kind == TAPE_OP_LEAVE) {
		q = tape_rounds_get(g->rounds, op->key.comm, op->r->k,
				    op->r->size);
		if (q)
			tape_round_leave(g->rounds, q);
	}
}

static void learn_all(struct engine *g, struct flow *f)
{
	int64_t latest = INT64_MIN;
	int waits = 0;

	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];

		waits += may_wait(g, op);
		if (op->kind == TAPE_OP_RECV_END && ready(g, op) &&
		    slot_of(g, op)->send.start_ns > latest)
			latest = slot_of(g, op)->send.start_ns;
	}
	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];

		if (op->kind == TAPE_OP_RECV_END && ready(g, op))
			learn(g, f, op, slot_of(g, op), waits == 1, latest);
	}
}

/*
 * The perturbation at the end of the event. Of several completions, the one
 * that was over last decided the measured end; the others only keep the
 * approximated end from coming before them.
 */
static double end_of(struct engine *g, struct flow *f)
{
	struct candidate best = { 0 };
	double least = INFINITY;
	int any = 0;

	for (int i = 0; i < f->n_ops; i++) {
		struct tape_op *op = &f->list[i];
		struct candidate c;

		if (!may_wait(g, op) || !ready(g, op))
			continue;
		c = candidate(g, f, op);
		if (!any || c.ready > best.ready) {
			if (any)
				least = fmin(least, best.least);
			best = c;
		} else {
			least = fmin(least, c.least);
		}
		any = 1;
	}
	return any ? fmin(best.p, least) : f->p_start;
}

/* ---- writing ---- */

static void put(struct engine *g, struct flow *f, const struct tape_event *e,
		double p_start, double p_end)
{
	struct tape_event out = *e;

	if (!f->writer)
		return;
	out.start_ns = e->start_ns - llrint(p_start);
	out.end_ns = e->end_ns - llrint(p_end);
	if (out.start_ns < f->last_ta)
		out.start_ns = f->last_ta;
	if (out.end_ns < out.start_ns) {
		out.end_ns = out.start_ns;
		g->r->moved++;
	}
	out.inside_ns = out.end_ns - out.start_ns;
	/* the corrected trace has no alpha */
	out.alpha_before_ns = out.alpha_after_ns = 0;
	tape_flow_writer_put(f->writer, &out);
	f->last_ta = out.end_ns;
}

static void flush_run(struct engine *g, struct flow *f, double p_end)
{
	if (!f->run)
		return;
	f->run = 0;
	put(g, f, &f->run_event, f->run_p, p_end);
}

/* ---- flows ---- */

static int is_failed(const struct tape_event *e)
{
	return (e->class_ == TAPE_CLASS_TEST && !e->u.test.flag) ||
	       (e->class_ == TAPE_CLASS_IPROBE && !e->u.iprobe.flag) ||
	       (e->class_ == TAPE_CLASS_IMPROBE && !e->u.improbe.flag);
}

/*
 * A run of failed tests is waiting if the flow did little else meanwhile; it
 * then belongs to the event that ends it.
 */
static int is_waiting(const struct tape_event *e)
{
	return 2 * e->inside_ns >= e->end_ns - e->start_ns - 1000;
}

/*
 * Does the event under way end the run? It must be the same question, asked
 * again at once: within two periods of the run, or a microsecond.
 */
static int ends_run(const struct engine *g, const struct flow *f)
{
	const struct tape_event *run = &f->run_event;
	double gap = (double)(f->e->start_ns - run->end_ns) -
		     f->e->alpha_before_ns - run->alpha_after_ns;
	double polls = fmax((double)run->polls, 1);
	double period = (double)(run->end_ns - run->start_ns) / polls;

	if (f->e->class_ != run->class_ || gap > fmax(2 * period, 1000))
		return 0;
	for (int i = 0; i < f->n_ops; i++)
		if (may_wait(g, &f->list[i]))
			return 1;
	return 0;
}

static void account(struct engine *g, const struct tape_event *e)
{
	struct rank_result *r = &g->r->ranks[e->rank];
	double alpha = e->alpha_before_ns + e->alpha_after_ns;

	if (!r->seen || e->start_ns < r->first_ns)
		r->first_ns = e->start_ns;
	if (!r->seen || e->end_ns > r->last_ns)
		r->last_ns = e->end_ns;
	r->seen = 1;
	r->events++;
	r->alpha_ns += alpha;
	if (r->sites && e->site < tape_trace_rank(g->t, e->rank)->n_sites) {
		r->sites[e->site].alpha_ns += alpha;
		r->sites[e->site].events++;
	}
	g->r->events++;
}

/* Takes the next event of the flow: 1, or 0 at its end. */
static int begin(struct engine *g, struct flow *f)
{
	int rc = tape_flow_next(f->reader, &f->e);

	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_flow_error(f->reader));
	if (!rc) {
		uint64_t lost;
		enum tape_end why = tape_flow_end(f->reader, &lost);

		flush_run(g, f, f->run_p);
		f->e = NULL;
		f->finished = 1;
		g->r->incomplete += why != TAPE_END_FINALIZE;
		if (f->writer)
			tape_flow_writer_close(f->writer, why, lost);
		f->writer = NULL;
		return 0;
	}
	account(g, f->e);
	f->p_start = g->learner ? 0 : f->p + f->e->alpha_before_ns;
	f->forced = 0;
	f->n_ops = tape_ops_of(f->ops, f->e, &f->list);
	if (f->n_ops < 0)
		tape_die(TAPE_FAILED, "out of memory");
	if (f->run && !ends_run(g, f))
		flush_run(g, f, f->run_p);
	for (int i = 0; i < f->n_ops; i++)
		publish(g, f, &f->list[i]);
	return 1;
}

static void bounds(struct engine *g, const struct flow *f, int64_t start,
		   int64_t end)
{
	struct rank_result *r = &g->r->ranks[f->rank];

	if (start < r->first_ta || r->first_ta == INT64_MIN)
		r->first_ta = start;
	if (end > r->last_ta || r->last_ta == INT64_MIN)
		r->last_ta = end;
}

/* Ends the event under way if it can; 1 when it did. */
static int finish(struct engine *g, struct flow *f)
{
	const struct tape_event *e = f->e;
	double p_end = 0;

	for (int i = 0; !f->forced && i < f->n_ops; i++)
		if (!ready(g, &f->list[i]))
			return 0;
	if (g->learner)
		learn_all(g, f);
	else
		p_end = end_of(g, f);
	for (int i = 0; i < f->n_ops; i++)
		if (may_wait(g, &f->list[i]))
			release(g, &f->list[i]);
	f->reached = e->end_ns - llrint(p_end);
	/* the test that ends a wait for a message comes after that */
	if (f->run)
		f->p_start = p_end;
	bounds(g, f, e->start_ns - llrint(f->p_start), f->reached);
	if (is_failed(e) && is_waiting(e)) {
		flush_run(g, f, f->run_p);
		f->run = 1;
		f->run_event = *e;
		f->run_p = f->p_start;
	} else {
		/* tests turned into a wait end where that begins */
		flush_run(g, f, p_end);
		put(g, f, e, f->p_start, p_end);
	}
	f->p = g->learner ? 0 : p_end + e->alpha_after_ns;
	f->e = NULL;
	return 1;
}

/* Runs a flow until it waits or reaches the horizon; 1 if it moved. */
static int advance(struct engine *g, struct flow *f, int64_t horizon)
{
	int moved = 0;

	while (!f->finished) {
		if (!f->e) {
			/* what it tells others may set them going */
			moved = 1;
			if (!begin(g, f))
				break;
		}
		if (!finish(g, f))
			break;
		moved = 1;
		if (!(g->r->events & 0xfffff))
			tape_progress(g->r->events, 0);
		if (f->reached > horizon || g->r->events % 4096 == 0)
			break;
	}
	return moved;
}

/* Nothing can go on: the oldest event that waits goes without its partner. */
static int let_go(struct engine *g)
{
	struct flow *oldest = NULL;

	for (size_t i = 0; i < g->n_flows; i++) {
		struct flow *f = &g->flows[i];

		if (f->e && (!oldest || f->e->start_ns < oldest->e->start_ns))
			oldest = f;
	}
	if (!oldest)
		return 0;
	oldest->forced = 1;
	g->r->forced++;
	return 1;
}

/*
 * How far ahead flows may run: a little beyond the slowest, so that messages
 * in flight stay few.
 */
static int64_t horizon_of(const struct engine *g)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < g->n_flows; i++)
		if (!g->flows[i].finished && g->flows[i].reached < least)
			least = g->flows[i].reached;
	return least > INT64_MAX - 10000000 ? INT64_MAX : least + 10000000;
}

static void number_hosts(struct engine *g)
{
	size_t n = tape_trace_ranks(g->t);

	g->host = malloc(n * sizeof *g->host);
	if (!g->host)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t r = 0; r < n; r++) {
		const char *mine = tape_trace_rank(g->t, (int)r)->host;

		g->host[r] = (int)r;
		for (size_t q = 0; mine && q < r; q++) {
			const char *its = tape_trace_rank(g->t, (int)q)->host;

			if (its && !strcmp(its, mine)) {
				g->host[r] = g->host[q];
				break;
			}
		}
	}
}

static void open_flows(struct engine *g, struct tape_output *out)
{
	g->n_flows = tape_trace_flows(g->t);
	g->flows = calloc(g->n_flows + 1, sizeof *g->flows);
	if (!g->flows)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t i = 0; i < g->n_flows; i++) {
		const struct tape_flow_info *info = tape_trace_flow(g->t, i);
		struct flow *f = &g->flows[i];
		struct tape_ops *other = NULL;

		f->rank = info->rank;
		f->reached = INT64_MIN;
		for (size_t k = 0; k < i; k++)
			if (g->flows[k].rank == f->rank)
				other = g->flows[k].ops;
		f->ops = tape_ops_new(g->t, f->rank, other);
		if (!f->ops)
			tape_die(TAPE_FAILED, "out of memory");
		if (tape_flow_open(g->t, i, &f->reader))
			tape_die(TAPE_FAILED, "%s", tape_trace_error(g->t));
		if (!out)
			continue;
		/* the first event's date is the first of the flow */
		f->last_ta = INT64_MIN;
		if (begin(g, f)) {
			f->last_ta = f->e->start_ns - llrint(f->p_start);
			f->writer = tape_flow_writer_open(out, f->rank,
							  info->thread,
							  f->last_ta);
		}
	}
}

void engine_run(struct tape_trace *t, const struct eager *eager,
		struct tape_comm_learner *learner,
		const struct tape_comm_model *model, struct tape_output *out,
		struct result *r)
{
	struct engine g = { .t = t, .eager = eager, .learner = learner,
			    .model = model, .r = r };
	size_t n = tape_trace_ranks(t), left = 1;

	memset(r, 0, sizeof *r);
	r->ranks = calloc(n, sizeof *r->ranks);
	g.match = tape_match_new();
	g.rounds = tape_rounds_new();
	if (!r->ranks || !g.match || !g.rounds)
		tape_die(TAPE_FAILED, "out of memory");
	for (size_t i = 0; i < n; i++) {
		r->ranks[i].first_ta = r->ranks[i].last_ta = INT64_MIN;
		r->ranks[i].sites = calloc(
			tape_trace_rank(t, (int)i)->n_sites + 1,
			sizeof *r->ranks[i].sites);
	}
	number_hosts(&g);
	open_flows(&g, out);
	while (left) {
		int64_t horizon = horizon_of(&g);
		int moved = 0;

		left = 0;
		for (size_t i = 0; i < g.n_flows; i++) {
			moved |= advance(&g, &g.flows[i], horizon);
			left += !g.flows[i].finished;
		}
		if (left && !moved && !let_go(&g))
			break;
	}
	tape_progress(r->events, 1);
	tape_match_left(g.match, &r->unreceived, &r->unsent);
	r->rounds_open = tape_rounds_left(g.rounds);
	for (size_t i = 0; i < g.n_flows; i++) {
		if (!i || g.flows[i].rank != g.flows[i - 1].rank)
			r->unknown += tape_ops_unknown(g.flows[i].ops);
		tape_flow_close(g.flows[i].reader);
	}
	for (size_t i = 0; i < g.n_flows; i++)
		tape_ops_free(g.flows[i].ops);
	r->first_ns = r->first_ta = INT64_MAX;
	r->last_ns = r->last_ta = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		const struct rank_result *q = &r->ranks[i];

		if (!q->seen)
			continue;
		r->first_ns = q->first_ns < r->first_ns ? q->first_ns
							: r->first_ns;
		r->last_ns = q->last_ns > r->last_ns ? q->last_ns : r->last_ns;
		r->first_ta = q->first_ta < r->first_ta ? q->first_ta
							: r->first_ta;
		r->last_ta = q->last_ta > r->last_ta ? q->last_ta : r->last_ta;
	}
	tape_match_free(g.match);
	tape_rounds_free(g.rounds);
	free(g.flows);
	free(g.host);
}

void result_free(struct result *r, size_t ranks)
{
	for (size_t i = 0; i < ranks && r->ranks; i++)
		free(r->ranks[i].sites);
	free(r->ranks);
	r->ranks = NULL;
}
