/* Results of processes put together; see parallel_result.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "parallel_result.h"
#include "sort.h"
#include "tool.h"

enum record {
	SUMS = TAPE_KINDS_OF_TICO,
	RANK,
	DAMAGE,
	LINE,
	NOTE,
	OPEN,
	PLACE,
	VOLUME
};

/* Whole numbers all, and what is the largest of all. */
struct sums {
	struct tape_perturb_count count;
	struct causality causality;
	double counted_ns;
	struct order_counts order;
	struct moves moves;
	struct widths widths;
	uint64_t events, forced, guessed, unknown, left_out, by_table, by_shape;
	uint64_t refuted, eager, contradictions;
	uint64_t too_long, handed, handed_late;
	int64_t blamed_ns;
	uint64_t blamed;
	int32_t threads, incomplete;
};

struct rank_record {
	uint64_t rank;
	struct rank_result r;
};

/* ---- others give ---- */

static void send_result_sums(struct tape_peers *p, const struct result *r)
{
	struct sums s;

	memset(&s, 0, sizeof s);
	s.count = r->count;
	s.causality = r->causality;
	s.counted_ns = r->counted_ns;
	s.order = r->order;
	s.moves = r->moves;
	s.widths = r->widths;
	s.events = r->events;
	s.forced = r->forced;
	s.guessed = r->guessed;
	s.refuted = r->refuted;
	s.eager = r->eager;
	s.contradictions = r->contradictions;
	s.unknown = r->unknown;
	s.left_out = r->left_out;
	s.by_table = r->by_table;
	s.by_shape = r->by_shape;
	s.too_long = r->too_long;
	s.handed = r->handed;
	s.handed_late = r->handed_late;
	s.blamed_ns = r->blamed_ns;
	s.blamed = r->blamed;
	s.threads = r->threads;
	s.incomplete = r->incomplete;
	tape_peers_gather_add(p, SUMS, &s, sizeof s);
}

static void send_results(struct tape_peers *p, const struct tape_trace *t,
			 const struct result *r, const struct volume *v)
{
	const struct tape_unmatched_line *l;
	struct blame_record b;
	uint64_t at = 0;

	send_result_sums(p, r);
	if (v)
		tape_peers_gather_add(p, VOLUME, &v->sums, sizeof v->sums);
	for (uint64_t i = 0; i < tape_trace_ranks(t); i++) {
		struct rank_record one = {i, r->ranks[i]};

		if (tape_peers_owns_rank(p, (int)i))
			tape_peers_gather_add(p, RANK, &one, sizeof one);
	}
	for (uint32_t i = 0; i < tape_trace_flows(t); i++)
		if (tape_peers_owns_rank(p, tape_trace_flow(t, i)->rank) &&
		    tape_trace_damage(t, i, NULL))
			tape_peers_gather_add(p, DAMAGE, &i, sizeof i);
	while ((l = tape_unmatched_each(r->unmatched, &at)))
		tape_peers_gather_add(p, LINE, l, sizeof *l);
	for (size_t i = 0; i < r->notes.n; i++)
		tape_peers_gather_add(p, NOTE, &r->notes.list[i],
				      sizeof r->notes.list[i]);
	for (uint64_t i = 0; i < r->rounds_open; i++)
		tape_peers_gather_add(p, OPEN, &r->open[i], sizeof r->open[i]);
	for (uint32_t i = 0; blames_get_record(r->blames, i, &b); i++)
		tape_peers_gather_add(p, PLACE, &b, sizeof b);
}

/* ---- process 0 takes ---- */

struct taker {
	struct tape_peers *p;
	struct tape_trace *t;
	struct result *r;
	struct volume *v;
	int blamed; /* whose last event counts: the sums of one come first */
	size_t room;
};

static void add_widths(struct widths *w, const struct widths *of)
{
	w->n += of->n;
	for (int i = 0; i < WIDTH_BINS; i++)
		w->bin[i] += of->bin[i];
	w->most = fmax(w->most, of->most);
}

static void add_perturb_count(struct tape_perturb_count *c,
			      const struct tape_perturb_count *of)
{
	c->nbcom += of->nbcom;
	c->nbcomf += of->nbcomf;
	c->nbcomfa += of->nbcomfa;
	c->nbsim += of->nbsim;
	c->decided += of->decided;
	c->nbsim_sm += of->nbsim_sm;
	c->rendezvous += of->rendezvous;
	c->clamped += of->clamped;
	for (int i = 0; i < 8; i++)
		c->leaf[i] += of->leaf[i];
}

static void add_result_sums(struct taker *x, int from, const void *data)
{
	struct result *r = x->r;
	struct sums s;

	memcpy(&s, data, sizeof s);
	add_perturb_count(&r->count, &s.count);
	causality_add(&r->causality, &s.causality);
	r->counted_ns += s.counted_ns;
	order_counts_add(&r->order, &s.order);
	r->moves.n += s.moves.n;
	r->moves.sum_ns += s.moves.sum_ns;
	if (s.moves.worst_ns > r->moves.worst_ns)
		r->moves.worst_ns = s.moves.worst_ns;
	add_widths(&r->widths, &s.widths);
	r->events += s.events;
	r->forced += s.forced;
	r->guessed += s.guessed;
	r->refuted += s.refuted;
	r->eager += s.eager;
	r->contradictions += s.contradictions;
	r->unknown += s.unknown;
	r->left_out += s.left_out;
	r->by_table += s.by_table;
	r->by_shape += s.by_shape;
	r->too_long += s.too_long;
	r->handed += s.handed;
	r->handed_late += s.handed_late;
	r->threads += s.threads;
	r->incomplete += s.incomplete;
	if (s.blamed_ns < r->blamed_ns ||
	    (s.blamed_ns == r->blamed_ns && s.blamed < r->blamed))
		return;
	r->blamed_ns = s.blamed_ns;
	r->blamed = s.blamed;
	x->blamed = from;
	blames_set_reached(r->blames, NULL);
}

static void add_open_round(struct taker *x, const void *data)
{
	struct result *r = x->r;

	r->open = tape_must(tape_grow_array(
	    r->open, &x->room, r->rounds_open + 1, sizeof *r->open));
	memcpy(&r->open[r->rounds_open++], data, sizeof *r->open);
}

static void receive_result(void *own, int from, unsigned kind, const void *data,
			   size_t bytes)
{
	struct tape_unmatched_line l;
	struct blame_record b;
	struct volume_sums v;
	struct rank_record one;
	struct taker *x = own;
	uint32_t flow;

	(void)bytes;
	switch (kind) {
	case SUMS:
		add_result_sums(x, from, data);
		break;
	case RANK:
		memcpy(&one, data, sizeof one);
		x->r->ranks[one.rank] = one.r;
		break;
	case DAMAGE:
		memcpy(&flow, data, sizeof flow);
		tape_peers_find_damage(x->p, x->t, flow, from);
		break;
	case LINE:
		memcpy(&l, data, sizeof l);
		if (tape_unmatched_add(x->r->unmatched, &l))
			tape_die_no_memory();
		break;
	case NOTE:
		tape_notices_receive(x->r->missing, data);
		break;
	case OPEN:
		add_open_round(x, data);
		break;
	case VOLUME:
		memcpy(&v, data, sizeof v);
		if (x->v)
			volume_add(x->v, &v);
		break;
	case PLACE:
		memcpy(&b, data, sizeof b);
		blames_add_record(x->r->blames, &b, from == x->blamed);
		break;
	default:
		break;
	}
}

static int by_round(const void *a, const void *b)
{
	const struct round_open *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return x->k < y->k ? -1 : x->k > y->k;
}

/* Each that some have not left is one. */
static void count_rounds(struct result *r)
{
	uint64_t n = 0;

	if (!r->rounds_open)
		return;
	tape_sort(r->open, r->rounds_open, sizeof *r->open, by_round);
	for (uint64_t i = 0; i < r->rounds_open; i++)
		n += !i || by_round(&r->open[i - 1], &r->open[i]);
	r->rounds_open = n;
}

void parallel_collect(struct tape_peers *p, struct tape_trace *t,
		      struct result *r, struct volume *v)
{
	struct taker x = {p, t, r, v, 0, 0};

	if (p->me)
		send_results(p, t, r, v);
	tape_peers_gather(p, receive_result, &x);
	if (p->me)
		return;
	count_rounds(r);
	result_compute_total(r, tape_trace_ranks(t));
}

void parallel_print_volume(const struct tape_peers *p,
			   const struct tape_trace *t, const struct result *r,
			   const struct volume *v)
{
	double each = r->events ? 1.0 / (double)r->events : 0;
	struct volume_bytes b = volume_of(v, 0);

	fprintf(stderr,
		"tico: %s: %.2f bytes an event between %d processes, %.2f of "
		"them records; modelled %.2f: messages %.2f, receives %.2f, "
		"collectives %.2f\n",
		tape_trace_path(t), (double)tape_peers_all_bytes(p) * each,
		p->n, (double)v->sums.bytes * each, b.all * each,
		b.messages * each, b.receives * each, b.collectives * each);
	for (int d = 1; d < v->n_deals; d++)
		fprintf(
		    stderr, "%s %d: %.2f%s",
		    d > 1 ? "," : "tico: modelled by more of them:", v->n[d],
		    volume_of(v, d).all * each, d + 1 < v->n_deals ? "" : "\n");
}
