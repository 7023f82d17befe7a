/* Simulates a program that races; see race_program.h. */
#include "race_program.h"

/* The state of a run. */
struct machine {
	struct program *p;
	enum run run;
	int64_t last_there[RANKS]; /* when the last message was there */
	struct position {
		int at, begun, last; /* step; has it begun; last source */
		int64_t now;
		/* receives that are not completed, and all so far */
		const struct step *open[RANKS];
		int request[RANKS], n_open, requests;
	} of[RANKS];
};

static int64_t find_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The message may be from that rank, or from ANY. */
static int may_take(const struct step *s, int rank, int from,
		    const struct message *m)
{
	return !m->taken && m->to == rank && (from == ANY || from == m->from) &&
	       (s->peer == ANY || s->peer == m->from) &&
	       (s->tag == TAPE_ANY_TAG || s->tag == m->tag);
}

/* The first to arrive of those sent so far; -1: none. */
static int find_first(const struct program *p, int rank, int from,
		      const struct step *s)
{
	int best = -1;

	for (int i = 0; i < p->messages; i++)
		if (may_take(s, rank, from, &p->message[i]) &&
		    (best < 0 ||
		     p->message[i].arrives < p->message[best].arrives))
			best = i;
	return best;
}

/*
 * What the rank takes in the step: of the open receives the first that is
 * there, or that comes first; *open: which. -1: nothing.
 */
static int find_message(const struct machine *x, int rank, const struct step *s,
			int *open)
{
	const struct position *q = &x->of[rank];
	int forced = x->run == REPLAYED || x->run == FREE, best = -1, m;
	int from = forced ? x->p->rank[rank].source[q->at] : ANY;

	*open = 0;
	if (s->kind == RECV)
		return find_first(x->p, rank, from, s);
	for (int i = 0; i < q->n_open; i++) {
		if (forced && q->request[i] != x->p->rank[rank].request[q->at])
			continue;
		m = find_first(x->p, rank, from, q->open[i]);
		if (m < 0 || (best >= 0 &&
			      x->p->message[best].arrives <=
				  find_later(q->now, x->p->message[m].arrives)))
			continue;
		best = m;
		*open = i;
	}
	return best;
}

int race_is_light(const struct step *s)
{
	return s->kind == WAIT || s->kind == WAITANY || s->kind == TEST ||
	       (s->kind == RECV && s->peer == ANY);
}

static int64_t cost_before(const struct machine *x, int rank,
			   const struct step *s)
{
	if (x->run == TRUTH || x->run == FREE)
		return 0;
	if (x->run == LIGHT)
		return race_is_light(s) ? RACE_LIGHT_NS : 0;
	return x->p->rank[rank].before + s->off_before + s->calls_ns;
}

static int64_t cost_after(const struct machine *x, int rank,
			  const struct step *s)
{
	if (x->run == TRUTH || x->run == FREE)
		return 0;
	if (x->run == LIGHT)
		return race_is_light(s) ? RACE_LIGHT_NS : 0;
	return x->p->rank[rank].after + s->off_after;
}

/* When the rank does what is next; INT64_MAX: it waits for a message. */
static int64_t next_time(const struct machine *x, int rank)
{
	const struct position *q = &x->of[rank];
	const struct rank *r = &x->p->rank[rank];
	const struct step *s = &r->step[q->at];
	int m, open;

	if (q->at == r->n)
		return INT64_MAX;
	if (!q->begun)
		return q->now + s->ns + cost_before(x, rank, s);
	if (s->kind == SEND || s->kind == IRECV || s->kind == TEST)
		return q->now;
	m = find_message(x, rank, s, &open);
	return m < 0 ? INT64_MAX : find_later(q->now, x->p->message[m].arrives);
}

static void send_message(struct machine *x, int rank, struct event *e)
{
	struct program *p = x->p;
	struct message *m = &p->message[p->messages];

	*m = (struct message){.from = rank,
			      .to = e->peer,
			      .tag = e->s->tag,
			      .bytes = e->s->bytes};
	m->arrives = e->start + p->beta;
	if (p->has_queues)
		m->arrives = find_later(m->arrives, x->last_there[m->to]);
	m->arrives += p->tau * m->bytes;
	x->last_there[m->to] = m->arrives;
	for (int i = 0; i < p->messages; i++)
		if (p->message[i].from == rank && p->message[i].to == m->to &&
		    p->message[i].arrives >= m->arrives)
			m->arrives = p->message[i].arrives + 1;
	e->message = p->messages++;
	e->end = e->start + 20;
}

static void open_receive(struct position *q, struct event *e)
{
	e->request = q->request[q->n_open] = ++q->requests;
	q->open[q->n_open++] = e->s;
}

/* The rank takes a message, which is there; a test may find none. */
static void take_message(struct machine *x, int rank, struct event *e)
{
	struct program *p = x->p;
	struct position *q = &x->of[rank];
	struct message *m;
	int open;

	e->message = find_message(x, rank, e->s, &open);
	if (e->s->kind == TEST &&
	    (e->message < 0 || p->message[e->message].arrives > e->start)) {
		e->message = -1;
		return;
	}
	m = &p->message[e->message];
	m->taken = 1;
	e->peer = q->last = m->from;
	if (x->run == LIGHT) {
		p->rank[rank].source[q->at] = m->from;
		p->rank[rank].request[q->at] =
		    e->s->kind == RECV ? 0 : q->request[open];
	}
	if (e->s->kind != RECV) {
		e->open = q->n_open--;
		e->request = q->request[open];
		for (int i = open; i < q->n_open; i++) {
			q->open[i] = q->open[i + 1];
			q->request[i] = q->request[i + 1];
		}
	}
	e->arrived = m->arrives <= e->start;
	e->end = (e->arrived ? e->start : m->arrives) + p->dc;
}

/* One step of the rank, or its beginning. */
static void advance_rank(struct machine *x, int rank, int64_t now)
{
	struct position *q = &x->of[rank];
	struct rank *r = &x->p->rank[rank];
	const struct step *s = &r->step[q->at];
	struct event *e = &r->event[x->run][r->events[x->run]];

	if (!q->begun) {
		q->begun = 1;
		q->now = now;
		*e = (struct event){.s = s, .start = now, .peer = s->peer};
		return;
	}
	e->end = now + 20;
	if (s->peer == LAST)
		e->peer = q->last;
	if (s->kind == SEND)
		send_message(x, rank, e);
	else if (s->kind == IRECV)
		open_receive(q, e);
	else
		take_message(x, rank, e);
	if (r->events[x->run] < EVENTS - 1)
		r->events[x->run]++;
	q->now = e->end + cost_after(x, rank, s);
	q->at += e->message >= 0;
	q->begun = 0;
}

/* Returns 0, or -1 if the ranks wait for each other. */
int race_program_run(struct program *p, enum run run)
{
	struct machine x = {.p = p, .run = run};

	p->messages = 0;
	for (int r = 0; r < p->ranks; r++)
		x.of[r].now = p->rank[r].first;
	for (;;) {
		int64_t first = INT64_MAX;
		int who = -1, left = 0;

		for (int r = 0; r < p->ranks; r++) {
			int64_t t = next_time(&x, r);

			left += x.of[r].at < p->rank[r].n;
			if (t < first) {
				first = t;
				who = r;
			}
		}
		if (who < 0)
			return -left;
		advance_rank(&x, who, first);
	}
}

void race_program_scale(struct program *p, double share)
{
	int64_t last = 0, cost;
	int most = 1;

	for (int r = 0; r < p->ranks; r++) {
		const struct rank *k = &p->rank[r];
		int n = k->events[TRUTH];

		if (n && k->event[TRUTH][n - 1].end > last)
			last = k->event[TRUTH][n - 1].end;
		most = k->n > most ? k->n : most;
	}
	cost = (int64_t)(share * (double)(last - p->rank[0].first) / most / 2);
	for (int r = 0; r < p->ranks; r++) {
		struct rank *k = &p->rank[r];

		k->before = k->after = cost + 1;
		k->less = k->more = 0;
		for (int i = 0; i < k->n; i++) {
			struct step *s = &k->step[i];

			s->off_before = s->off_after = s->calls_ns = 0;
			s->calls = 0;
		}
	}
}
