/* Random programs that race; see race_program.h. */
#include <stdio.h>
#include <stdlib.h>

#include "race_program.h"

static int64_t draw_number(struct program *p, int64_t n)
{
	uint64_t z = p->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

static void add_step(struct program *p, int rank, enum kind kind, int peer,
		     int tag, int64_t most_ns)
{
	struct rank *r = &p->rank[rank];
	struct step *s = &r->step[r->n];

	if (r->n == STEPS)
		return;
	r->n++;
	*s = (struct step){.kind = kind, .peer = peer, .tag = tag};
	s->bytes = kind == SEND ? draw_number(p, 4) * draw_number(p, 500) : 0;
	s->ns = 50 + draw_number(p, most_ns);
}

/* Receives from any source, in one call or in two. */
static void add_receive(struct program *p, int rank, int64_t most_ns)
{
	int tag = draw_number(p, 3) ? 1 : TAPE_ANY_TAG;

	if (draw_number(p, 3)) {
		add_step(p, rank, RECV, ANY, tag, most_ns);
		return;
	}
	add_step(p, rank, IRECV, ANY, tag, most_ns);
	add_step(p, rank, WAIT, ANY, tag, most_ns);
}

/* Rank 0 gives tasks to whoever is ready; each worker does as many. */
static void make_farm(struct program *p)
{
	int tasks = 1 + (int)draw_number(p, 12);
	int64_t most = 1000 + draw_number(p, 30000);

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
	int rounds = 2 + (int)draw_number(p, 12);
	int waits = (int)draw_number(p, 2);
	int64_t most = 1000 + draw_number(p, 30000);

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
	int rounds = 3 + (int)draw_number(p, 12);
	int64_t most = 500 + draw_number(p, 20000);

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
	int rounds = 1 + (int)draw_number(p, 10);
	int64_t most = 1000 + draw_number(p, 30000);

	for (int i = 0; i < rounds; i++)
		for (int w = 1; w < p->ranks; w++) {
			add_step(p, 0, SEND, w, 2, 300);
			add_step(p, 0, IRECV, draw_number(p, 2) ? ANY : w, 1,
				 300);
			add_step(p, 0, TEST, ANY, 1, 3000);
			p->rank[0].step[p->rank[0].n - 1].ns += 2000;
			add_step(p, w, RECV, 0, 2, 200);
			add_step(p, w, SEND, 0, 1, most);
		}
}

/* Rank 0 answers whoever comes first of those that it expects. */
static void make_any(struct program *p)
{
	int rounds = 1 + (int)draw_number(p, 10);
	int64_t most = 1000 + draw_number(p, 30000);

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

	return draw_number(p, less + more + 1) - less;
}

static void make_costs(struct program *p, int blur)
{
	static const int64_t scales[] = {10, 100, 1000, 10000, 50000};
	int64_t scale = scales[draw_number(p, 5)];
	int counts = !draw_number(p, 4);

	for (int r = 0; r < p->ranks; r++) {
		struct rank *k = &p->rank[r];
		int64_t of = draw_number(p, 3) ? scale : scale / 10 + 1;

		k->first = 1000000 + draw_number(p, 5000);
		k->before = draw_number(p, of);
		k->after = draw_number(p, of);
		k->less = blur ? draw_number(p, k->before + 1) : 0;
		k->more = blur ? draw_number(p, k->before + k->after + 1) : 0;
		for (int i = 0; i < k->n; i++) {
			struct step *s = &k->step[i];
			int64_t most = k->before + k->after;

			s->off_before = draw_off(p, k, k->before);
			s->off_after = draw_off(p, k, k->after);
			/* a trace begins with a call that is recorded */
			s->calls = counts && i ? (int)draw_number(p, 5) : 0;
			s->calls_ns = s->calls * draw_number(p, most + 1);
		}
	}
}

struct program *race_program_make(uint64_t seed, int blur)
{
	static void (*const make[])(struct program *) = {
	    make_farm, make_gather, make_relay, make_polls, make_any};
	struct program *p = calloc(1, sizeof *p);

	if (!p) {
		fputs("races: out of memory\n", stderr);
		exit(2);
	}
	p->state = seed;
	p->ranks = 2 + (int)draw_number(p, RANKS - 1);
	p->beta = 100 + draw_number(p, 5000);
	p->tau = draw_number(p, 3);
	p->dc = draw_number(p, 300);
	make[draw_number(p, 5)](p);
	make_costs(p, blur);
	return p;
}
