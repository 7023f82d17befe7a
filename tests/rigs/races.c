/*
 * races: a campaign of programs whose receives from any source take whatever
 * comes first, whose tests find a message or do not, and whose waits for any
 * take what is there. Each one is simulated in the order of time, once with a
 * tracer that costs nothing (the truth) and once with one that costs something.
 * Where tico says between which bounds the time without tracing is, the truth
 * must be there, and each call must find the same message. Prints TAP and,
 * after #, figures.
 *
 * The machine: a message sent at S arrives at B = S + beta + tau bytes, and
 * after those that the same rank sent to the same rank before. Of the messages
 * that match, a receive takes the first that arrives. Begun at SR, it ends at
 * max(SR, B) + dc. A wait for any takes of what is there the request that was
 * made first. No two costs are alike by chance, so no two messages arrive
 * at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tape_ids.h"
#include "tape_reader.h"

enum { RANKS = 6, STEPS = 400, EVENTS = 4000, MESSAGES = RANKS * STEPS };
enum { ANY = TAPE_ANY_SOURCE, LAST = -2 }; /* LAST: who sent the last one */
enum run { TRUTH, TRACED, RUNS };
enum kind { SEND, RECV, IRECV, WAIT, WAITANY, TEST, KINDS };

/*
 * A step of a rank. Whom it sends to may depend on what it received. A test is
 * repeated until it finds its message, so a rank may compute longer.
 */
struct step {
	enum kind kind;
	int peer, tag; /* a receive: ANY, or a rank; a send: LAST, or a rank */
	int64_t bytes, ns; /* of a send; before the step */
	int64_t off_before, off_after; /* the tracer costs so much more than
					* stated */
	int calls;	   /* before it, that are only counted, */
	int64_t calls_ns;  /* and cost the tracer so much */
};

/* An event of a run. */
struct event {
	const struct step *s;
	int peer, message; /* the actual ones; message -1: a test failed */
	int request, open; /* that one, of so many that were not completed */
	int64_t start, end;
	int arrived;
};

struct message {
	int from, to, tag, taken;
	int64_t bytes, arrives;
};

struct rank {
	struct step step[STEPS];
	int n;
	int64_t first, before, after; /* stated costs of an event */
	int64_t less, more;	      /* their sum may be so much off */
	struct event event[RUNS][EVENTS];
	int events[RUNS];
};

struct program {
	uint64_t state;
	int ranks;
	int64_t beta, tau, dc;
	struct rank rank[RANKS];
	struct message message[MESSAGES];
	int messages;
};

/* The state of a run. */
struct machine {
	struct program *p;
	enum run run;
	struct position {
		int at, begun, last; /* step; has it begun; last source */
		int64_t now;
		/* receives that are not completed, and all so far */
		const struct step *open[RANKS];
		int request[RANKS], n_open, requests;
	} of[RANKS];
};

struct campaign {
	const char *bin, *dir;
	int programs, certain, missed, reordered, blamed, kept, blur;
	double width[100000];
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t draw(struct program *p, int64_t n)
{
	uint64_t z = p->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

/* ---- programs ---- */

static void add_step(struct program *p, int rank, enum kind kind, int peer,
		     int tag, int64_t most_ns)
{
	struct rank *r = &p->rank[rank];
	struct step *s = &r->step[r->n];

	if (r->n == STEPS)
		return;
	r->n++;
	*s = (struct step){.kind = kind, .peer = peer, .tag = tag};
	s->bytes = kind == SEND ? draw(p, 4) * draw(p, 500) : 0;
	s->ns = 50 + draw(p, most_ns);
}

/* Receives from any source, in one call or in two. */
static void add_receive(struct program *p, int rank, int64_t most_ns)
{
	int tag = draw(p, 3) ? 1 : TAPE_ANY_TAG;

	if (draw(p, 3)) {
		add_step(p, rank, RECV, ANY, tag, most_ns);
		return;
	}
	add_step(p, rank, IRECV, ANY, tag, most_ns);
	add_step(p, rank, WAIT, ANY, tag, most_ns);
}

/* Rank 0 gives tasks to whoever is ready; each worker does as many. */
static void make_farm(struct program *p)
{
	int tasks = 1 + (int)draw(p, 12);
	int64_t most = 1000 + draw(p, 30000);

	for (int w = 1; w < p->ranks; w++)
		add_step(p, 0, SEND, w, 2, 200);
	for (int i = 0; i < tasks * (p->ranks - 1); i++) {
		add_receive(p, 0, 400);
		add_step(p, 0, SEND, LAST, 2, 400);
	}
	for (int w = 1; w < p->ranks; w++)
		for (int i = 0; i <= tasks; i++) {
			add_step(p, w, RECV, 0, 2, 200);
			if (i < tasks)
				add_step(p, w, SEND, 0, 1, most);
		}
}

/* All send to rank 0, which lets them go on after each, or never. */
static void make_gather(struct program *p)
{
	int rounds = 2 + (int)draw(p, 12);
	int waits = (int)draw(p, 2);
	int64_t most = 1000 + draw(p, 30000);

	for (int i = 0; i < rounds; i++)
		for (int w = 1; w < p->ranks; w++) {
			add_receive(p, 0, 600);
			add_step(p, w, SEND, 0, 1, most);
			if (!waits)
				continue;
			add_step(p, 0, SEND, LAST, 2, 200);
			add_step(p, w, RECV, 0, 2, 200);
		}
}

/* One sends at a time: the order cannot be another one. */
static void make_relay(struct program *p)
{
	int rounds = 3 + (int)draw(p, 12);
	int64_t most = 500 + draw(p, 20000);

	for (int i = 0; i < rounds; i++)
		for (int w = 1; w < p->ranks; w++) {
			add_step(p, 0, SEND, w, 2, 400);
			add_receive(p, 0, 400);
			add_step(p, w, RECV, 0, 2, 200);
			add_step(p, w, SEND, 0, 1, most);
		}
}

/* Rank 0 asks for one message after the other, and computes meanwhile. */
static void make_polls(struct program *p)
{
	int rounds = 1 + (int)draw(p, 10);
	int64_t most = 1000 + draw(p, 30000);

	for (int i = 0; i < rounds; i++)
		for (int w = 1; w < p->ranks; w++) {
			add_step(p, 0, SEND, w, 2, 300);
			add_step(p, 0, IRECV, draw(p, 2) ? ANY : w, 1, 300);
			add_step(p, 0, TEST, ANY, 1, 3000);
			p->rank[0].step[p->rank[0].n - 1].ns += 2000;
			add_step(p, w, RECV, 0, 2, 200);
			add_step(p, w, SEND, 0, 1, most);
		}
}

/* Rank 0 answers whoever comes first of those that it expects. */
static void make_any(struct program *p)
{
	int rounds = 1 + (int)draw(p, 10);
	int64_t most = 1000 + draw(p, 30000);

	for (int i = 0; i < rounds; i++) {
		for (int w = 1; w < p->ranks; w++) {
			add_step(p, 0, IRECV, w, 1, 200);
			add_step(p, w, SEND, 0, 1, most);
			add_step(p, w, RECV, 0, 2, 200);
		}
		for (int w = 1; w < p->ranks; w++) {
			add_step(p, 0, WAITANY, ANY, 1, 300);
			add_step(p, 0, SEND, LAST, 2, 300);
		}
	}
}

/* How much more a part of the costs is, within what is stated of the sum. */
static int64_t draw_off(struct program *p, const struct rank *k, int64_t part)
{
	int64_t sum = k->before + k->after;
	int64_t less = sum ? part * k->less / sum : 0;
	int64_t more = sum ? part * k->more / sum : 0;

	return draw(p, less + more + 1) - less;
}

static void make_costs(struct program *p, int blur)
{
	static const int64_t scales[] = {10, 100, 1000, 10000, 50000};
	int64_t scale = scales[draw(p, 5)];
	int counts = !draw(p, 4);

	for (int r = 0; r < p->ranks; r++) {
		struct rank *k = &p->rank[r];
		int64_t of = draw(p, 3) ? scale : scale / 10 + 1;

		k->first = 1000000 + draw(p, 5000);
		k->before = draw(p, of);
		k->after = draw(p, of);
		k->less = blur ? draw(p, k->before + 1) : 0;
		k->more = blur ? draw(p, k->before + k->after + 1) : 0;
		for (int i = 0; i < k->n; i++) {
			struct step *s = &k->step[i];
			int64_t most = k->before + k->after;

			s->off_before = draw_off(p, k, k->before);
			s->off_after = draw_off(p, k, k->after);
			/* a trace begins with a call that is recorded */
			s->calls = counts && i ? (int)draw(p, 5) : 0;
			s->calls_ns = s->calls * draw(p, most + 1);
		}
	}
}

static struct program *make_program(uint64_t seed, int blur)
{
	static void (*const make[])(struct program *) = {
	    make_farm, make_gather, make_relay, make_polls, make_any};
	struct program *p = calloc(1, sizeof *p);

	if (!p) {
		fputs("races: out of memory\n", stderr);
		exit(2);
	}
	p->state = seed;
	p->ranks = 2 + (int)draw(p, RANKS - 1);
	p->beta = 100 + draw(p, 5000);
	p->tau = draw(p, 3);
	p->dc = draw(p, 300);
	make[draw(p, 5)](p);
	make_costs(p, blur);
	return p;
}

/* ---- the simulation ---- */

static int may_take(const struct step *s, int rank, const struct message *m)
{
	return !m->taken && m->to == rank &&
	       (s->peer == ANY || s->peer == m->from) &&
	       (s->tag == TAPE_ANY_TAG || s->tag == m->tag);
}

/* The first to arrive of those sent so far; -1: none. */
static int find_first(const struct program *p, int rank, const struct step *s)
{
	int best = -1;

	for (int i = 0; i < p->messages; i++)
		if (may_take(s, rank, &p->message[i]) &&
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
	int best = -1, m;

	*open = 0;
	if (s->kind == RECV)
		return find_first(x->p, rank, s);
	for (int i = 0; i < q->n_open; i++) {
		m = find_first(x->p, rank, q->open[i]);
		if (m < 0 || (best >= 0 && x->p->message[best].arrives <=
					       later(q->now, x->p->message[m]
								 .arrives)))
			continue;
		best = m;
		*open = i;
	}
	return best;
}

static int64_t cost_before(const struct machine *x, int rank,
			   const struct step *s)
{
	if (x->run == TRUTH)
		return 0;
	return x->p->rank[rank].before + s->off_before + s->calls_ns;
}

static int64_t cost_after(const struct machine *x, int rank,
			  const struct step *s)
{
	if (x->run == TRUTH)
		return 0;
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
	return m < 0 ? INT64_MAX : later(q->now, x->p->message[m].arrives);
}

static void send_message(struct machine *x, int rank, struct event *e)
{
	struct program *p = x->p;
	struct message *m = &p->message[p->messages];

	*m = (struct message){.from = rank, .to = e->peer, .tag = e->s->tag,
			      .bytes = e->s->bytes};
	m->arrives = e->start + p->beta + p->tau * m->bytes;
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
static void advance(struct machine *x, int rank, int64_t now)
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
static int run_program(struct program *p, enum run run)
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
		advance(&x, who, first);
	}
}

/* ---- the traced run as text, for tapedump --assemble ---- */

static void put_rank(FILE *f, const struct program *p, int rank)
{
	static const char *const classes[KINDS] = {"send", "recv", "irecv",
						   "wait", "wait", "test"};
	static const int calls[KINDS] = {
	    TAPE_CALL_MPI_Send, TAPE_CALL_MPI_Recv,    TAPE_CALL_MPI_Irecv,
	    TAPE_CALL_MPI_Wait, TAPE_CALL_MPI_Waitany, TAPE_CALL_MPI_Test};
	const struct rank *r = &p->rank[rank];
	int64_t sum = r->before + r->after;

	fprintf(f, "rank %d\n\ttape-rank 1\n\trank %d\n\thost h\n\tpid %d\n"
		   "\tdomain 0\n\tcomm 1 1 %d %d world\n\talpha done 0 0\n",
		rank, rank, rank + 1, p->ranks, rank);
	for (int i = 0; i < KINDS; i++) {
		fprintf(f, "\talpha %s %" PRId64 " %" PRId64, classes[i],
			r->before, r->after);
		if (r->less || r->more)
			fprintf(f, " %" PRId64 " %" PRId64, sum - r->less,
				sum + r->more);
		fprintf(f, "\n\tsite %d %d %d races.c main\n", i + 1,
			calls[i], 10 + i);
	}
}

static void put_event(FILE *f, const struct program *p, const struct rank *r,
		      const struct event *e)
{
	static const char *const calls[KINDS] = {
	    "MPI_Send @1", "MPI_Recv @2",    "MPI_Irecv @3",
	    "MPI_Wait @4", "MPI_Waitany @5", "MPI_Test @6"};
	const struct step *s = e->s;
	const struct message *m = &p->message[e->message < 0 ? 0 : e->message];

	fprintf(f, "\t%" PRId64 " +%" PRId64 " %s", e->start, e->end - e->start,
		calls[s->kind]);
	if (s->kind == SEND)
		fprintf(f, " peer=%d tag=%d bytes=%" PRId64 " comm=1\n",
			e->peer, s->tag, s->bytes);
	else if (s->kind == IRECV)
		fprintf(f, " peer=%d tag=%d comm=1 bytes=4096\n", s->peer,
			s->tag);
	else if (s->kind == RECV)
		fprintf(f, " peer=%d tag=%d comm=1 actual_peer=%d actual_tag=%d"
			   " bytes=%" PRId64 " arrived=%d probe=0\n",
			s->peer, s->tag, m->from, m->tag, m->bytes, e->arrived);
	else if (e->message < 0) /* costs of failed tests are no constants */
		fprintf(f, " n=1 flag=0 alpha=%" PRId64 ":%" PRId64 "\n",
			r->before + s->off_before, r->after + s->off_after);
	else
		fprintf(f, " n=%d%s received=%d:%d:%d:%" PRId64 ":%d\n",
			e->s->kind == WAITANY ? e->open : 1,
			e->s->kind == TEST ? " flag=1" : "", e->request,
			m->from, m->tag, m->bytes,
			e->s->kind == TEST ? 2 : e->arrived);
}

static void put_program(FILE *f, const struct program *p)
{
	fprintf(f, "meta\n\ttape-trace 1\n\tranks %d\n\tbase global\n"
		   "\tdomain 0 simulated h\n\tclock 0 0 0 1 0 0\n", p->ranks);
	for (int r = 0; r < p->ranks; r++)
		put_rank(f, p, r);
	for (int r = 0; r < p->ranks; r++) {
		const struct event *e = p->rank[r].event[TRACED];
		int n = p->rank[r].events[TRACED], calls = 0;

		fprintf(f, "flow %d 0\n", r);
		for (int i = 0; i < n; i++) {
			put_event(f, p, &p->rank[r], &e[i]);
			calls += e[i].s->calls;
		}
		if (calls)
			fprintf(f, "\t%" PRId64 " +0 counted site=1 region=0 "
				   "rate=0 calls=%d ticks=0\n",
				e[n - 1].end, calls);
		fputs("\tend finalize 0\n", f);
	}
}

/* ---- what tico says, and what is true ---- */

static void fail(const char *what)
{
	fprintf(stderr, "races: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void run_command(const struct campaign *c, const char *command)
{
	char line[4096];

	if (snprintf(line, sizeof line, "cd '%s' && PATH='%s':$PATH && %s",
		     c->dir, c->bin, command) >= (int)sizeof line)
		fail(c->dir);
	if (system(line))
		fail(command);
}

/* From the first start to the last end. */
static int64_t total_of(const struct program *p, enum run run)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (int r = 0; r < p->ranks; r++) {
		const struct rank *k = &p->rank[r];
		int n = k->events[run];

		if (!n)
			continue;
		if (k->event[run][0].start < first)
			first = k->event[run][0].start;
		if (k->event[run][n - 1].end > last)
			last = k->event[run][n - 1].end;
	}
	return last - first;
}

/* Did the calls of the runs end otherwise? */
static int is_reordered(const struct program *p)
{
	for (int r = 0; r < p->ranks; r++) {
		const struct rank *k = &p->rank[r];

		for (int i = 0; i < k->events[TRUTH]; i++) {
			const struct event *a = &k->event[TRUTH][i];
			const struct event *b = &k->event[TRACED][i];

			if (a->peer != b->peer ||
			    (a->message < 0) != (b->message < 0))
				return 1;
		}
		if (k->events[TRUTH] != k->events[TRACED])
			return 1;
	}
	return 0;
}

static void judge(struct campaign *c, const struct program *p, uint64_t seed)
{
	char path[4200], line[200];
	int64_t total = total_of(p, TRUTH), from, to;
	int reordered = is_reordered(p), certain = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/run.tico.tape/meta", c->dir);
	f = fopen(path, "r");
	if (!f)
		fail(path);
	while (fgets(line, sizeof line, f))
		certain |= sscanf(line, "total %*d %*d %" SCNd64 " %" SCNd64,
				  &from, &to) == 2;
	fclose(f);
	c->reordered += reordered;
	c->kept += !reordered;
	c->blamed += !reordered && !certain;
	if (!certain)
		return;
	c->width[c->certain++] = (double)(to - from) / (double)total;
	if (!reordered && total >= from && total <= to)
		return;
	if (!c->missed++)
		printf("# seed %" PRIu64 ": %" PRId64 " is said to be from %"
		       PRId64 " to %" PRId64 "%s\n", seed, total, from, to,
		       reordered ? ", of receives in another order" : "");
}

static void try_program(struct campaign *c, uint64_t seed)
{
	struct program *p = make_program(seed, c->blur);
	char path[4200], command[400];
	FILE *f;

	if (run_program(p, TRUTH) || run_program(p, TRACED)) {
		printf("# seed %" PRIu64 ": the ranks wait for each other\n",
		       seed);
		c->missed++;
		free(p);
		return;
	}
	snprintf(path, sizeof path, "%s/run.txt", c->dir);
	f = fopen(path, "w");
	if (!f)
		fail(path);
	put_program(f, p);
	if (ferror(f) | fclose(f))
		fail(path);
	snprintf(command, sizeof command,
		 "rm -rf run.tape run.tico.tape && printf 'all limit 65536\\n"
		 "all eager 0 %" PRId64 " %" PRId64 "\\nall rendezvous 0 %"
		 PRId64 " %" PRId64 "\\nall dc 0 %" PRId64 " 0\\n' >run.model "
		 "&& tapedump --assemble -o run.tape run.txt >log 2>&1 && "
		 "tico -j -m run.model -o run.tico.tape run.tape >report 2>log",
		 p->beta, p->tau, p->beta, p->tau, p->dc);
	run_command(c, command);
	judge(c, p, seed);
	free(p);
}

static int order_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	static struct campaign c = {.programs = 100};
	uint64_t seed = 1;
	int option;

	while ((option = getopt(argc, argv, "cn:s:")) != -1) {
		if (option == 'c')
			c.blur = 1;
		else if (option == 'n')
			c.programs = atoi(optarg);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else
			break;
	}
	if (option != -1 || argc - optind != 2 || c.programs < 1 ||
	    c.programs > (int)(sizeof c.width / sizeof *c.width)) {
		fputs("usage: races [-c] [-n programs] [-s seed] bin-folder "
		      "folder\n  -c  costs are stated by intervals\n", stderr);
		return 2;
	}
	c.bin = argv[optind];
	c.dir = argv[optind + 1];
	for (int i = 0; i < c.programs; i++)
		try_program(&c, seed + (uint64_t)i);
	qsort(c.width, (size_t)c.certain, sizeof *c.width, order_doubles);
	printf("# seeds from %" PRIu64 ": of %d programs %d find other "
	       "messages when traced; %d are certain, with %.3g%% of the time "
	       "in the median; %d of %d that find the same are not\n",
	       seed, c.programs, c.reordered, c.certain,
	       c.certain ? 100 * c.width[c.certain / 2] : 0, c.blamed, c.kept);
	printf("%sok 1 - %d programs that race: %d certificates do not hold\n"
	       "%sok 2 - some are certain\n1..2\n",
	       c.missed ? "not " : "", c.programs, c.missed,
	       c.certain ? "" : "not ");
	return c.missed || !c.certain;
}
