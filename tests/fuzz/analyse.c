/*
 * Fuzz target: an input is a whole trace directory (input_trace.h), given to
 * what is behind the reader: the analysis with waits, delays and path, the
 * search for ranks that hang, then the steps of an export, all to their ends.
 * What their headers promise of the results is checked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "base.h"
#include "delay.h"
#include "input_trace.h"
#include "input.h"
#include "path.h"
#include "steps.h"
#include "where.h"

#define MUST(condition) \
	((condition) ? (void)0 : broken(__LINE__, #condition))

__attribute__((noreturn)) static void broken(int line, const char *what)
{
	fprintf(stderr, "%s:%d: the analysis broke its contract: %s\n",
		__FILE__, line, what);
	abort();
}

/* ---- what is given out ---- */

/* Of a flow, so far. */
struct lane {
	const struct tape_event *open; /* begun, not ended */
	uint64_t events;
	double waited_ns;
};

struct told {
	struct tape_analysis *a;
	size_t flows, ranks;
	struct lane *lanes;
	double waited_ns, wrong_ns;
};

static void check_wait(struct told *o, const struct tape_waited *w)
{
	struct tape_places *p = tape_analysis_places(o->a);

	MUST(tape_analysis_is_comparable(o->a));
	MUST(w->kind > TAPE_WAIT_NONE && w->kind < TAPE_WAIT_KINDS);
	MUST(*tape_wait_name(w->kind));
	MUST(w->flow < o->flows && w->late_flow < o->flows);
	MUST(w->call < tape_places_count(p));
	MUST(w->late_call < tape_places_count(p));
	MUST(w->ns >= 0 && w->wrong_order_ns >= 0);
	MUST(!w->ns == (w->wrong_order_ns > 0));
	MUST(!w->wrong_order_ns || w->kind == TAPE_WAIT_LATE_SENDER);
	o->lanes[w->flow].waited_ns += (double)w->ns;
	o->waited_ns += (double)w->ns;
	o->wrong_ns += (double)w->wrong_order_ns;
}

static void check_event(struct told *o, const struct tape_item *i)
{
	const struct tape_event *e = i->event;
	struct lane *l = &o->lanes[i->flow];
	char text[TAPE_PLACE_BYTES];

	MUST(e && e->flow == i->flow);
	if (i->kind == TAPE_ITEM_BEGIN) {
		MUST(!l->open && i->ns == e->start_ns);
		l->open = e;
		l->events++;
	} else if (i->once) {
		MUST(!l->open && i->ns == e->start_ns && i->ns == e->end_ns);
		l->events++;
	} else {
		MUST(l->open == e && i->ns == e->end_ns);
		l->open = NULL;
	}
	tape_activity_text(tape_analysis_places(o->a),
			   tape_analysis_activity(o->a, i->flow), text,
			   sizeof text);
	MUST(*text);
}

static void check_message(const struct told *o, const struct tape_message *m)
{
	MUST(m->from >= -1 && m->from < (int)o->ranks);
	MUST(m->to >= -1 && m->to < (int)o->ranks);
	MUST(m->state != TAPE_MATCHED || (m->sent.event && m->posted.event));
	MUST(!m->sent.event || m->sent.rank == m->from);
	MUST(!m->ended.event || m->ended.rank == m->to);
	MUST(!m->ended.event || m->awaited_ns <= m->ended_ns);
}

static void check_round(const struct tape_collective_round *q)
{
	MUST(q->size > 0 && q->known >= 0 && q->known <= q->size);
	MUST(q->left >= 0 && q->left <= q->entered && q->entered <= q->size);
	MUST(q->root >= -1 && q->root < q->size);
	for (int32_t i = 0; i < q->size; i++) {
		const struct tape_member *m = &q->member[i];

		if (m->ended.event)
			MUST(m->begun.event && m->begun_ns <= m->ended_ns &&
			     m->awaited_ns <= m->ended_ns);
	}
}

static void check_item(struct told *o, const struct tape_item *i)
{
	switch (i->kind) {
	case TAPE_ITEM_BEGIN:
	case TAPE_ITEM_END:
		check_event(o, i);
		return;
	case TAPE_ITEM_MESSAGE:
		check_message(o, i->message);
		return;
	case TAPE_ITEM_ROUND:
		check_round(i->round);
		return;
	case TAPE_ITEM_REQUEST:
		MUST(i->request && i->event);
		return;
	}
	MUST(0 && "a kind of item");
}

/* ---- what is kept ---- */

/* Are the two the same, but for rounding? */
static int about(double a, double b)
{
	return fabs(a - b) <= 1 + 1e-9 * (fabs(a) + fabs(b));
}

static void check_sync(const struct tape_sync *s, size_t flow)
{
	MUST(s->flow == flow && s->wait_ns >= 0);
	MUST(s->ended_ns >= s->begun_ns);
	MUST(!s->before || s->before->ended_ns <= s->begun_ns);
	MUST(!s->wait_ns || s->wait_ns <= s->ended_ns - s->begun_ns);
	MUST(!s->wait_ns || (s->kind && s->kind < TAPE_WAIT_KINDS));
	for (uint32_t i = 0; i < s->n_spent; i++)
		MUST(s->spent[i].ns > 0);
}

static void check_flow(const struct told *o, size_t flow)
{
	struct tape_history *h = tape_analysis_history(o->a);
	struct tape_span span = tape_analysis_span(o->a, flow);
	const struct tape_sync *s = tape_history_last_call(h, flow);
	const struct tape_spent *rest;
	double waited = 0;
	uint64_t lost;

	MUST(!o->lanes[flow].open);
	MUST(!span.seen == !o->lanes[flow].events);
	MUST(span.from_ns <= span.to_ns);
	MUST(tape_replay_end(tape_analysis_replay(o->a), flow, &lost) <=
	     TAPE_END_ERROR);
	for (size_t n = tape_history_open_times(h, flow, &rest); n-- > 0;)
		MUST(rest[n].ns > 0);
	for (; s; s = s->before) {
		check_sync(s, flow);
		waited += (double)s->wait_ns;
	}
	MUST(about(waited, o->lanes[flow].waited_ns));
}

/* ---- causes ---- */

static void check_delays(const struct told *o)
{
	size_t places = tape_places_count(tape_analysis_places(o->a));
	double direct = 0, blamed = 0;
	struct tape_delays d;

	MUST(!tape_delays_find(o->a, &d));
	for (size_t i = 0; i < d.n; i++) {
		const struct tape_delay *c = &d.delay[i];

		MUST(c->flow < o->flows && c->activity < places);
		MUST(c->direct_ns >= 0 && isfinite(c->direct_ns));
		MUST(c->spread_ns >= 0 && isfinite(c->spread_ns));
		direct += c->direct_ns;
	}
	for (size_t i = 0; i < d.n_blames; i++) {
		const struct tape_blame *b = &d.blame[i];

		MUST(b->flow < o->flows && b->activity < places);
		MUST(b->call < places && b->ns >= 0 && isfinite(b->ns));
		MUST(!i || d.blame[i - 1].call <= b->call);
		blamed += b->ns;
	}
	MUST(about(blamed, direct));
	MUST(d.rest_ns >= 0);
	/* the other part of all waiting is that for those who waited */
	MUST(direct + d.rest_ns <= o->waited_ns * (1 + 1e-9) + 1);
	tape_delays_free(&d);
}

/* ---- the path ---- */

struct pieces {
	size_t flows, n, last; /* last: whose flow */
	int64_t from_ns;       /* of the earliest so far */
	double *flow_ns;
};

static void take_piece(void *own, const struct tape_path_piece *p)
{
	struct pieces *k = own;

	MUST(p->flow < k->flows && p->from_ns < p->to_ns);
	MUST(!k->n || p->to_ns == k->from_ns);
	k->n++;
	k->from_ns = p->from_ns;
	k->flow_ns[p->flow] += (double)(p->to_ns - p->from_ns);
}

static void check_path(const struct told *o)
{
	struct pieces k = { .flows = o->flows };
	double all = 0;
	struct tape_path p;

	k.flow_ns = calloc(o->flows + 1, sizeof *k.flow_ns);
	if (!k.flow_ns)
		return;
	MUST(!tape_path_find(o->a, take_piece, &k, &p));
	MUST(p.flows == o->flows && p.moves >= 0 && p.from_ns <= p.to_ns);
	MUST(!k.n || k.from_ns == p.from_ns);
	for (size_t i = 0; i < o->flows; i++) {
		MUST(about(k.flow_ns[i], (double)p.flow_ns[i]));
		all += k.flow_ns[i];
	}
	MUST(about(all, (double)(p.to_ns - p.from_ns)));
	for (size_t i = 0; i < p.n; i++) {
		const struct tape_path_place *c = &p.place[i];

		MUST(c->path_ns >= 0 && c->all_ns >= 0);
		MUST(c->imbalance_ns >= 0 &&
		     c->imbalance_ns <= (double)c->path_ns);
	}
	tape_path_free(&p);
	free(k.flow_ns);
}

/* ---- ranks that hang ---- */

static void check_where(struct tape_trace *t)
{
	struct where_states *s = where_states_new(t);
	struct wait_graph *g = wait_graph_new(s);
	FILE *to = fopen("/dev/null", "w");

	for (size_t i = 0; i < g->n_cycles; i++)
		for (size_t k = 0; k < g->cycle[i].n; k++) {
			int rank = g->cycle[i].rank[k];

			MUST(rank >= 0 && (size_t)rank < s->n_ranks);
			MUST(g->stuck[rank]);
			MUST(g->next[rank] ==
			     g->cycle[i].rank[(k + 1) % g->cycle[i].n]);
		}
	for (size_t i = 0; i < g->n_culprits; i++)
		MUST(g->culprit[i].n_waiting <= g->culprit[i].n_perhaps &&
		     g->culprit[i].n_perhaps < s->n_ranks);
	for (size_t i = 0; i < s->n_flows; i++)
		MUST(s->flow[i].state != WHERE_ABSENT);
	if (to) {
		where_print_text(g, to);
		fclose(to);
	}
	wait_graph_free(g);
	where_states_free(s);
}

/* ---- the whole ---- */

/* Plays t to its end. Returns its events, of all flows. */
static uint64_t analyse(struct tape_trace *t)
{
	struct told o = { .flows = tape_trace_flows(t),
			  .ranks = tape_trace_ranks(t) };
	const struct tape_found *f;
	uint64_t events = 0;
	int rc;

	o.lanes = calloc(o.flows + 1, sizeof *o.lanes);
	if (!o.lanes || tape_analysis_open(t, &o.a)) {
		fprintf(stderr, "fuzz: %s\n", tape_analysis_error(o.a));
		abort();
	}
	while ((rc = tape_analysis_next(o.a, &f)) == 1) {
		MUST(!f->wait == (f->item != NULL));
		if (f->wait)
			check_wait(&o, f->wait);
		else
			check_item(&o, f->item);
	}
	MUST(!rc && !tape_analysis_next(o.a, &f));
	MUST(o.wrong_ns <= o.waited_ns * (1 + 1e-9) + 1);
	for (size_t i = 0; i < o.flows; i++) {
		check_flow(&o, i);
		events += o.lanes[i].events;
	}
	check_delays(&o);
	check_path(&o);
	tape_analysis_close(o.a);
	free(o.lanes);
	return events;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char temporary[64];

	(void)argc, (void)argv;
	fuzz_trace_folder();
	fuzz_folder(temporary, sizeof temporary);
	setenv("TMPDIR", temporary, 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	const char *path = fuzz_trace_write(data, n);
	struct tape_trace *t;
	uint64_t events = 0;

	if (!path)
		return 0;
	if (!tape_trace_open(path, &t))
		events = analyse(t);
	if (events)
		check_where(t);
	tape_trace_close(t);
	/* others end with a sentence */
	if (events)
		fuzz_check_steps(path, n && *data & FUZZ_WINDOW);
	return 0;
}
