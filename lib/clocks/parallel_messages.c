/* Messages read by several processes; see parallel_messages.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel_messages.h"
#include "collect.h"
#include "pending_sends.h"
#include "pacing.h"
#include "tool.h"

enum task { RAW = 1, CORRECTED, DISMISS };

/* A request; the paths of the trace and of a coefficients file follow. */
struct request {
	uint32_t task, loads;
	uint64_t ranks, flows;
	double hours, wander;
};

enum record {
	REQUEST = TAPE_KINDS_OF_CLOCKS,
	PATH,
	LOAD,
	SUMS,
	DAMAGE,
	LINE,
	NOTE,
	SPAN,
	WAY,
	KEPT
};

struct sums_record {
	uint64_t transits, violations, unknown, left_out, events, n_remote;
	int64_t least_ns, worst_ns;
};

struct span_record {
	uint64_t clock;
	double first_ns, last_ns;
};

/* A directed pair of clocks; its messages follow. */
struct way_record {
	uint32_t from, to, wide, pad;
	uint64_t messages, refuted;
};

struct kept_record {
	double sent, received, slack;
	int64_t bin;
};

/* The largest number of messages in a record. */
enum { PIECE = 1 << 14 };

/* ---- sending ---- */

static void send_sums(struct tape_peers *p, const struct check *c)
{
	struct sums_record s = {c->transits, c->violations, c->unknown,
				c->left_out, c->events,	    c->n_remote,
				c->least_ns, c->worst_ns};
	const struct tape_unmatched_line *l;
	uint64_t at = 0;

	tape_peers_gather_add(p, SUMS, &s, sizeof s);
	while ((l = tape_unmatched_each(c->unmatched, &at)))
		tape_peers_gather_add(p, LINE, l, sizeof *l);
}

static void send_damage(struct tape_peers *p, const struct tape_trace *t)
{
	for (uint32_t i = 0; i < tape_trace_flows(t); i++)
		if (tape_peers_owns_rank(p, tape_trace_flow(t, i)->rank) &&
		    tape_trace_damage(t, i, NULL))
			tape_peers_gather_add(p, DAMAGE, &i, sizeof i);
}

static void send_pair(struct tape_peers *p, const struct bounds_pair *w,
		      unsigned wide)
{
	static char data[sizeof(struct way_record) +
			 PIECE * sizeof(struct kept_record)];
	struct way_record h = {w->from, w->to,	     wide,
			       0,	w->messages, w->refuted};
	size_t i = 0;

	do {
		char *at = data + sizeof h;

		memcpy(data, &h, sizeof h);
		for (int k = 0; k < PIECE && i < w->n; k++, i++) {
			const struct bounds_message *m = &w->kept[i];
			struct kept_record one = {m->sent, m->received,
						  m->slack, m->bin};

			memcpy(at, &one, sizeof one);
			at += sizeof one;
		}
		tape_peers_gather_add(p, WAY, data, (size_t)(at - data));
		h.messages = h.refuted = 0;
	} while (i < w->n);
}

static void send_clocks(struct tape_peers *p, const struct clocks *k,
			struct bounds *b)
{
	const struct bounds_pair *w;
	size_t n;

	for (size_t i = 0; i < k->n; i++) {
		struct span_record s = {i, k->c[i].first_ns, k->c[i].last_ns};

		if (s.first_ns <= s.last_ns)
			tape_peers_gather_add(p, SPAN, &s, sizeof s);
	}
	w = bounds_pairs(b, &n);
	for (size_t i = 0; i < n; i++)
		send_pair(p, &w[i], bounds_doublings(b));
}

/* ---- receiving, in process 0 ---- */

struct collector {
	struct tape_peers *p;
	struct tape_trace *t;
	struct check *c;
	struct tape_not_recorded *m;
	struct clocks *k;
	struct bounds *b;
};

static void add_sums(struct check *c, const void *data)
{
	struct sums_record s;

	memcpy(&s, data, sizeof s);
	if (s.transits && (!c->transits || s.least_ns < c->least_ns))
		c->least_ns = s.least_ns;
	c->transits += s.transits;
	c->violations += s.violations;
	if (s.worst_ns > c->worst_ns)
		c->worst_ns = s.worst_ns;
	c->unknown += s.unknown;
	c->left_out += s.left_out;
	c->events += s.events;
	c->n_remote += s.n_remote;
}

static void add_span(struct clocks *k, const void *data)
{
	struct span_record s;
	struct clock *c;

	memcpy(&s, data, sizeof s);
	c = &k->c[s.clock];
	c->first_ns = fmin(c->first_ns, s.first_ns);
	c->last_ns = fmax(c->last_ns, s.last_ns);
}

static void add_pair(struct bounds *b, const char *data, size_t bytes)
{
	struct bounds_message *m;
	struct way_record h;
	size_t n = (bytes - sizeof h) / sizeof(struct kept_record);

	memcpy(&h, data, sizeof h);
	m = tape_must(malloc((n + 1) * sizeof *m));
	for (size_t i = 0; i < n; i++) {
		struct kept_record one;

		memcpy(&one, data + sizeof h + i * sizeof one, sizeof one);
		m[i] = (struct bounds_message){one.sent, one.received,
					       one.slack, one.bin, 0};
	}
	bounds_merge(b, h.wide,
		     &(struct bounds_pair){.from = h.from,
					   .to = h.to,
					   .messages = h.messages,
					   .refuted = h.refuted},
		     m, n);
	free(m);
}

static void add_record(void *own, int from, unsigned kind, const void *data,
		       size_t bytes)
{
	struct tape_unmatched_line l;
	struct collector *x = own;
	uint32_t flow;

	switch (kind) {
	case SUMS:
		add_sums(x->c, data);
		break;
	case DAMAGE:
		memcpy(&flow, data, sizeof flow);
		tape_peers_find_damage(x->p, x->t, flow, from);
		break;
	case LINE:
		memcpy(&l, data, sizeof l);
		if (tape_unmatched_add(x->c->unmatched, &l))
			tape_die_no_memory();
		break;
	case NOTE:
		if (x->m)
			tape_notices_receive(x->m, data);
		break;
	case SPAN:
		add_span(x->k, data);
		break;
	case WAY:
		add_pair(x->b, data, bytes);
		break;
	default:
		break;
	}
}

/* Sends the results of this process to process 0, which adds them. */
static void collect_results(struct collector *x,
			    const struct tape_notices *notes)
{
	if (x->p->me) {
		send_sums(x->p, x->c);
		send_damage(x->p, x->t);
		for (size_t i = 0; i < notes->n; i++)
			tape_peers_gather_add(x->p, NOTE, &notes->list[i],
					      sizeof notes->list[i]);
		if (x->b)
			send_clocks(x->p, x->k, x->b);
	}
	tape_peers_gather(x->p, add_record, x);
}

static void check_and_collect(struct tape_peers *p, struct tape_trace *t,
			      struct check *c, struct tape_not_recorded *m,
			      struct clocks *k, struct bounds *b)
{
	struct collector x = {p, t, c, m, k, b};
	struct tape_notices notes = {NULL, 0};

	check_messages(t, c, m, k, b, p, p->me ? &notes : NULL);
	collect_results(&x, &notes);
	free(notes.list);
}

/* ---- requests ---- */

static void send_request(struct tape_peers *p, const struct request *q,
			 const char *path, const char *load)
{
	p->busy = q->task != DISMISS;
	tape_peers_queue_to_others(p, REQUEST, q, sizeof *q);
	tape_peers_queue_to_others(p, PATH, path, strlen(path) + 1);
	tape_peers_queue_to_others(p, LOAD, load, strlen(load) + 1);
	tape_peers_exchange_once(p);
}

void parallel_messages_dismiss(struct tape_peers *p)
{
	struct request q = {.task = DISMISS};

	send_request(p, &q, "", "");
}

void parallel_messages_check(struct tape_peers *p, struct tape_trace *t,
			     const struct linear_options *x, struct check *c,
			     struct tape_not_recorded *m, struct clocks *k,
			     struct bounds *b)
{
	struct request q = {.task = x ? RAW : CORRECTED};

	if (!p) {
		check_messages(t, c, m, k, b, NULL, NULL);
		return;
	}
	q.ranks = tape_trace_ranks(t);
	q.flows = tape_trace_flows(t);
	if (x) {
		q.loads = x->load != NULL;
		q.hours = x->hours;
		q.wander = x->wander;
	}
	send_request(p, &q, tape_trace_path(t), x && x->load ? x->load : "");
	tape_peers_agree(p, "", NULL, NULL);
	check_and_collect(p, t, c, m, k, b);
}

/* ---- serving ---- */

static void serve_check(struct tape_peers *p, const struct request *q,
			const char *path, const char *load)
{
	struct linear_options x = {q->loads ? load : NULL, q->hours, q->wander};
	struct tape_trace *t =
	    tape_peers_open(p, path, q->ranks, q->flows, NULL);
	struct bounds *b = NULL;
	struct clocks k;
	struct check c;

	if (!t)
		return;
	if (q->task == RAW) {
		linear_fit_open(&k, t, &x);
		b = k.n > 1 ? bounds_new(&k) : NULL;
	}
	check_and_collect(p, t, &c, NULL, b ? &k : NULL, b);
	tape_unmatched_free(c.unmatched);
	if (q->task == RAW) {
		bounds_free(b);
		clocks_close(&k);
	}
	tape_trace_close(t);
}

static int serve_request(struct tape_peers *p)
{
	struct tape_peers_at at = {0};
	char *path = NULL, *load = NULL;
	struct request q = {.task = DISMISS};
	const void *data;
	unsigned kind;
	size_t bytes;

	tape_peers_exchange_once(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == REQUEST)
			memcpy(&q, data, sizeof q);
		else if (kind == PATH && !path)
			path = tape_must(strdup(data));
		else if (kind == LOAD && !load)
			load = tape_must(strdup(data));
	if (q.task != DISMISS)
		serve_check(p, &q, path, load);
	free(path);
	free(load);
	return q.task != DISMISS;
}

void parallel_messages_serve(struct tape_peers *p)
{
	while (serve_request(p))
		;
}

/* ---- modelled bytes ---- */

static double record_bytes(double n, size_t bytes)
{
	return n * (double)(bytes + TAPE_PEERS_HEAD);
}

/*
 * Modelled bytes of the bounds: all directed pairs together store up to
 * BOUNDS_KEPT messages, and every process except process 0 sends its share.
 */
static double bounds_bytes(struct bounds *b, int n)
{
	const struct bounds_pair *w;
	uint64_t messages = 0;
	size_t ways;

	if (!b)
		return 0;
	w = bounds_pairs(b, &ways);
	for (size_t i = 0; i < ways; i++)
		messages += w[i].messages;
	if (messages > BOUNDS_KEPT)
		messages = BOUNDS_KEPT;
	return (1 - 1.0 / n) *
	       ((double)messages * sizeof(struct kept_record) +
		record_bytes((double)ways, sizeof(struct way_record)));
}

void parallel_messages_report(const struct tape_peers *p,
			      const struct check *raw, const struct check *now,
			      struct bounds *b)
{
	uint64_t events = raw->events + now->events;
	double each = events ? 1.0 / (double)events : 0;
	double is = (double)tape_peers_all_bytes(p) * each;
	double messages = record_bytes((double)(raw->n_remote + now->n_remote),
				       sizeof(struct tape_sent)) *
			  each;
	double bounds = bounds_bytes(b, p->n) * each;
	double meetings = (double)events / p->n / TAPE_MEETING_EVENTS + 8;
	double states =
	    record_bytes(meetings * p->n * (p->n - 1), TAPE_STATE_BYTES) * each;

	fprintf(stderr,
		"sba: %" PRIu64 " events read, %.2f bytes an event between "
		"%d processes; modelled %.2f: messages %.2f, bounds %.2f, "
		"states %.2f\n",
		events, is, p->n, messages + bounds + states, messages, bounds,
		states);
}
