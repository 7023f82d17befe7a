/*
 * Executes a program; see des.h. Each rank runs until it needs a time that
 * another rank does not know yet. Times follow from times, so no queue of
 * events is needed, and the order of ranks does not matter.
 */
#include "des.h"
#include "tape_ids.h"
#include "tape_reader.h"

struct state {
	struct des_program *p;
	enum des_runs run;
	int64_t now[DES_RANKS];
	int at[DES_RANKS];
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* When the message is there for its receiver, or the send over. */
static int64_t available(const struct state *x, const struct des_message *m)
{
	int64_t s = m->s[x->run], post = m->post[x->run];

	if (s == DES_UNKNOWN || (m->rendezvous && post == DES_UNKNOWN))
		return DES_UNKNOWN;
	if (m->rendezvous)
		s = later(s, post);
	return s + des_transit(x->p, m->src, m->dst, m->bytes);
}

/* When a probe finds it: of a rendezvous the envelope comes first. */
static int64_t visible(const struct state *x, const struct des_message *m)
{
	if (!m->rendezvous)
		return available(x, m);
	return m->s[x->run] == DES_UNKNOWN
		   ? DES_UNKNOWN
		   : m->s[x->run] + des_beta(x->p, m->src, m->dst);
}

static int64_t hand_over(const struct state *x, const struct des_message *m)
{
	return m->rendezvous ? 0 : x->p->dc[des_size_class(m->bytes)];
}

static const struct des_message *message(const struct state *x,
					 const struct des_step *s, int i)
{
	return &x->p->message[s->what[i]];
}

/* ---- beginnings ---- */

/* What other ranks may know from the start of a step on. */
static void publish(struct state *x, int rank, const struct des_step *s,
		    int64_t start)
{
	struct des_message *m = &x->p->message[s->what[0]];

	switch (s->kind) {
	case DES_SENDRECV:
		x->p->message[s->what[1]].post[x->run] = start;
		m->s[x->run] = start;
		break;
	case DES_SEND:
	case DES_ISEND:
	case DES_POST:
	case DES_LEAVE:
		m->s[x->run] = start;
		break;
	case DES_RECV:
	case DES_MPROBE:
	case DES_IRECV:
		m->post[x->run] = start;
		break;
	case DES_START:
		(s->side[0] == 1 ? m->s : m->post)[x->run] = start;
		break;
	case DES_COLL:
	case DES_ICOLL: {
		struct des_collective *c = &x->p->collective[s->what[0]];

		c->entry[x->run][x->p->comm[c->comm].place[rank]] = start;
		break;
	}
	case DES_LOCAL:
	case DES_INIT:
	case DES_WAIT:
	case DES_POLL:
	case DES_MISS:
	case DES_PROBE:
	case DES_IPROBE:
	case DES_MRECV:
	case DES_COLL_WAIT:
	case DES_FREE:
	case DES_CANCEL:
	case DES_CANCELLED:
	case DES_ENTER:
	case DES_CLOSE:
		break;
	}
}

static int class_of(const struct des_step *s)
{
	static const int classes[] = {
		[DES_LOCAL] = TAPE_CLASS_LOCAL, [DES_SEND] = TAPE_CLASS_SEND,
		[DES_RECV] = TAPE_CLASS_RECV,
		[DES_SENDRECV] = TAPE_CLASS_SENDRECV,
		[DES_ISEND] = TAPE_CLASS_ISEND, [DES_IRECV] = TAPE_CLASS_IRECV,
		[DES_START] = TAPE_CLASS_START, [DES_WAIT] = TAPE_CLASS_WAIT,
		[DES_POLL] = TAPE_CLASS_TEST, [DES_MISS] = TAPE_CLASS_IPROBE,
		[DES_PROBE] = TAPE_CLASS_PROBE,
		[DES_IPROBE] = TAPE_CLASS_IPROBE,
		[DES_MPROBE] = TAPE_CLASS_MPROBE,
		[DES_MRECV] = TAPE_CLASS_MRECV,
		[DES_POST] = TAPE_CLASS_PSCW, [DES_ENTER] = TAPE_CLASS_PSCW,
		[DES_LEAVE] = TAPE_CLASS_PSCW, [DES_CLOSE] = TAPE_CLASS_PSCW,
		[DES_FREE] = TAPE_CLASS_REQ,
		[DES_CANCEL] = TAPE_CLASS_REQ,
		[DES_CANCELLED] = TAPE_CLASS_WAIT,
	};

	if (s->kind == DES_COLL || s->kind == DES_ICOLL ||
	    s->kind == DES_COLL_WAIT)
		return (int)tape_call_class((unsigned)s->call);
	if (s->kind == DES_INIT)
		return s->side[0] == 1 ? TAPE_CLASS_ISEND : TAPE_CLASS_IRECV;
	return classes[s->kind];
}

/* Has the class a field probe? */
static int asks(const struct des_step *s)
{
	return s->kind == DES_RECV || s->kind == DES_PROBE ||
	       s->kind == DES_MPROBE || s->kind == DES_WAIT ||
	       s->call == TAPE_CALL_MPI_Wait;
}

static int64_t alpha_before(const struct state *x, int rank,
			    const struct des_step *s)
{
	int64_t constant = x->p->rank[rank].before[class_of(s)];

	if (x->run == DES_TRUTH)
		return 0;
	if (s->kind == DES_MISS)
		constant = 0; /* a failed probe has a constant of its own */
	return constant + s->off_before + s->before +
	       (asks(s) ? s->probe : 0);
}

int64_t des_cost_after(const struct des_program *p, enum des_runs run, int rank,
		       const struct des_step *s)
{
	const struct des_rank *r = &p->rank[rank];
	int64_t constant = r->after[class_of(s)];

	if (run == DES_TRUTH)
		return 0;
	if (s->kind == DES_MISS)
		constant = 0;
	if (s->kind == DES_WAIT)
		constant += (s->n - 1) * r->done_after;
	return constant + s->off_after + s->after;
}

/* ---- ends: the time, or DES_UNKNOWN ---- */

static int64_t end_of_send(const struct state *x, const struct des_step *s,
			   const struct des_message *m)
{
	int64_t b;

	if (!m->rendezvous)
		return s->d[x->run].start + s->cost;
	b = available(x, m);
	return b == DES_UNKNOWN ? b : b + m->send_after;
}

/*
 * When receive i of the step is asked for: one after the other, the last of
 * them just before the call.
 */
static int64_t asked_at(const struct state *x, const struct des_step *s, int i)
{
	int64_t all = 0, later_ones = 0;

	if (x->run == DES_TRUTH || s->kind != DES_WAIT)
		return s->d[x->run].start;
	for (int k = 0; k < s->n; k++) {
		all += s->side[k] == 2;
		later_ones += s->side[k] == 2 && k > i;
	}
	return s->d[x->run].start - s->probe * later_ones / all;
}

static int64_t end_of_recv(const struct state *x, struct des_step *s, int i,
			   int64_t own_delay)
{
	const struct des_message *m = message(x, s, i);
	int64_t b = available(x, m);
	struct des_dates *d = &s->d[x->run];

	if (b == DES_UNKNOWN)
		return b;
	/* a blocking receive can ask for the envelope only */
	d->arrived[i] = (own_delay >= 0 ? visible(x, m) : b) <=
			asked_at(x, s, i);
	if (m->rendezvous)
		return later(d->start, b) + later(own_delay, 0);
	return later(d->start, b) + hand_over(x, m);
}

static int64_t end_of_wait(const struct state *x, struct des_step *s)
{
	int64_t end = DES_UNKNOWN, one;
	int waits = 0;

	for (int i = 0; i < s->n; i++) {
		const struct des_message *m = message(x, s, i);

		if (s->side[i] == 2) {
			one = end_of_recv(x, s, i, -1);
		} else if (!m->rendezvous) {
			continue;
		} else {
			one = available(x, m);
			if (one != DES_UNKNOWN)
				one = later(one, s->d[x->run].start);
		}
		if (one == DES_UNKNOWN)
			return one;
		waits = 1;
		end = later(end, one);
	}
	return waits ? end : s->d[x->run].start + s->cost;
}

static int64_t end_of_sendrecv(const struct state *x, struct des_step *s)
{
	const struct des_message *m = message(x, s, 0);
	int64_t a = end_of_recv(x, s, 1, 0), b;

	if (a == DES_UNKNOWN || !m->rendezvous)
		return a;
	b = end_of_send(x, s, m);
	return b == DES_UNKNOWN ? b : later(a, b);
}

/*
 * Polls from start until the thing is there at ready, then takes it. Polls
 * are infinitely quick: the last of them fails just before.
 */
static int64_t end_of_poll(const struct state *x, struct des_step *s,
			   int64_t ready, int64_t takes)
{
	struct des_dates *d = &s->d[x->run];

	if (ready == DES_UNKNOWN)
		return ready;
	d->polled = ready > d->from;
	if (d->polled) {
		int64_t gap = s->before < (ready - d->from) / 2
				      ? s->before : 0;

		d->start = ready;
		/* the tracer's cost of the successful one is waiting, too */
		d->gave_up = x->run == DES_TRUTH ? ready : ready - gap;
	}
	return d->start + takes;
}

static int64_t end_of_test(const struct state *x, struct des_step *s)
{
	const struct des_message *m = message(x, s, 0);
	int64_t from = s->d[x->run].from;

	if (s->side[0] == 1)
		return m->rendezvous
			       ? end_of_poll(x, s, available(x, m), 0)
			       : end_of_poll(x, s, from, s->cost);
	return end_of_poll(x, s, available(x, m), hand_over(x, m));
}

static int64_t end_of_collective(const struct state *x, int rank,
				 const struct des_step *s)
{
	const struct des_collective *c = &x->p->collective[s->what[0]];
	const struct des_comm *comm = &x->p->comm[c->comm];
	int me = comm->place[rank];
	int64_t last = s->d[x->run].start;

	if (s->kind == DES_COLL && des_by_algorithm(x->p, c)) {
		last = des_leave(x->p, c, x->run, me);
		return last == DES_UNKNOWN ? last : last + c->lag[me];
	}
	for (int i = 0; i < comm->size; i++) {
		int64_t e = c->entry[x->run][i];

		/* between two groups: the root is for the other one only */
		if (comm->sizes[1] && c->shape != TAPE_SHAPE_ALL &&
		    comm->side[comm->member[i]] == comm->side[rank])
			continue;
		if ((c->shape == TAPE_SHAPE_FROM && i != c->root) ||
		    (c->shape == TAPE_SHAPE_TO && me != c->root) ||
		    (c->shape == TAPE_SHAPE_SCAN && i > me) ||
		    (c->shape == TAPE_SHAPE_NEAR && i != me &&
		     !des_is_source(comm->size, me, i)))
			continue;
		if (e == DES_UNKNOWN)
			return e;
		last = later(last, e);
	}
	return last + c->lag[me];
}

/* What another rank does with the window comes first. */
static int64_t end_of_window(const struct state *x, const struct des_step *s)
{
	const struct des_message *m = message(x, s, 0);

	if (m->s[x->run] == DES_UNKNOWN)
		return DES_UNKNOWN;
	return later(s->d[x->run].start, m->s[x->run]) + m->recv_after;
}

static int64_t end_of(const struct state *x, int rank, struct des_step *s)
{
	const struct des_dates *d = &s->d[x->run];

	switch (s->kind) {
	case DES_SEND:
		return end_of_send(x, s, message(x, s, 0));
	case DES_RECV:
		return end_of_recv(x, s, 0, message(x, s, 0)->recv_after);
	case DES_SENDRECV:
		return end_of_sendrecv(x, s);
	case DES_WAIT:
		return end_of_wait(x, s);
	case DES_POLL:
		return end_of_test(x, s);
	case DES_PROBE:
	case DES_MPROBE: {
		int64_t b = visible(x, message(x, s, 0));

		if (b == DES_UNKNOWN)
			return b;
		s->d[x->run].arrived[0] = b <= d->start;
		return later(b, d->start);
	}
	case DES_IPROBE:
		return end_of_poll(x, s, visible(x, message(x, s, 0)), 0);
	case DES_MRECV:
		return end_of_recv(x, s, 0, -1);
	case DES_COLL:
	case DES_COLL_WAIT:
		return end_of_collective(x, rank, s);
	case DES_ENTER:
	case DES_CLOSE:
		return end_of_window(x, s);
	case DES_LOCAL:
	case DES_ISEND:
	case DES_IRECV:
	case DES_INIT:
	case DES_START:
	case DES_MISS:
	case DES_ICOLL:
	case DES_POST:
	case DES_LEAVE:
	case DES_FREE:
	case DES_CANCEL:
	case DES_CANCELLED:
		break;
	}
	return d->start + s->cost;
}

/* One step of a rank: 1, or 0 when it has to wait for another rank. */
static int advance(struct state *x, int rank)
{
	struct des_rank *r = &x->p->rank[rank];
	struct des_step *s = &r->step[x->at[rank]];
	struct des_dates *d = &s->d[x->run];

	if (!d->begun) {
		d->start = x->now[rank] + s->gap + alpha_before(x, rank, s);
		d->from = d->start;
		d->begun = 1;
		publish(x, rank, s, d->start);
	}
	d->end = end_of(x, rank, s);
	if (d->end == DES_UNKNOWN)
		return 0;
	x->now[rank] = d->end + des_cost_after(x->p, x->run, rank, s);
	x->at[rank]++;
	return 1;
}

int des_run(struct des_program *p, enum des_runs run)
{
	struct state x = { .p = p, .run = run };
	int moved = 1, left = 0;

	for (int r = 0; r < p->ranks; r++)
		x.now[r] = p->rank[r].first;
	while (moved) {
		moved = left = 0;
		for (int r = 0; r < p->ranks; r++) {
			while (x.at[r] < p->rank[r].n && advance(&x, r))
				moved = 1;
			left += x.at[r] < p->rank[r].n;
		}
	}
	return left ? -1 : 0;
}
