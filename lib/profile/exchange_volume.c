/* What processes exchange, as a formula of what is known; see parallel_sums.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel_sums.h"
#include "pacing.h"
#include "members.h"
#include "pending_sends.h"
#include "tool.h"

/* What a flow did, as bytes on their way. */
struct story {
	double calls, rest, waits;
};

static double records_size(double n, size_t bytes)
{
	return n * (double)(bytes + TAPE_PEERS_HEAD);
}

/* ---- messages, collectives ---- */

static double message_bytes(const struct stats *s, const int *owner)
{
	const struct stats_pair *p;
	double away = 0, posted = 0;
	size_t at = 0;
	uint64_t key;

	while ((p = tape_table_each(&s->pairs, &at, &key))) {
		if (owner[p->from] == owner[p->to])
			continue;
		away += (double)p->messages;
		/* PVM sends from buffers of its own */
		if (!tape_trace_rank(s->t, p->from)->tid)
			posted += (double)p->messages;
	}
	return records_size(away, sizeof(struct tape_sent)) +
	       records_size(posted, TAPE_POSTED_BYTES);
}

/* One that is begun and completed is told twice. */
static double records_per_member(unsigned call)
{
	unsigned c = tape_call_class(call);

	return c == TAPE_CLASS_ICOLL || c == TAPE_CLASS_COMM_INEW ||
		       c == TAPE_CLASS_IIO || c == TAPE_CLASS_IIO_AT
		   ? 2
		   : 1;
}

/*
 * Of a communicator of k ranks of R, neighbours, the share (k - 1) n / R has
 * members of several of n processes, or all; its collectives are one process's
 * after the other, and of its members 1 - 1 / n are of others.
 */
static double collective_bytes(const struct stats *s, int n)
{
	double sum = 0;

	for (unsigned i = 0; i < TAPE_CALL_COUNT; i++) {
		const struct stats_coll *c = &s->coll[i];
		double spread, away;

		if (!c->rounds)
			continue;
		spread = ((double)c->members / (double)c->rounds - 1) * n /
			 (double)s->ranks;
		away = (double)c->members * (spread < 1 ? spread : 1) *
		       (1 - 1.0 / n);
		sum += records_size(away * records_per_member(i),
				    TAPE_MEMBER_BYTES) +
		       records_size(away, TAPE_RESULT_BYTES);
	}
	return sum;
}

/* ---- calls ---- */

/*
 * Of each flow; *reasons: of a wait, entries after its call, of which process
 * 0 finds some itself.
 */
static struct story *flow_call_bytes(const struct stats *s, double *reasons)
{
	struct tape_history *h = tape_analysis_history(s->analysis);
	struct story *list = tape_must(calloc(s->flows + 1, sizeof *list));
	double found = 0, of = 0;

	for (size_t i = 0; i < s->flows; i++) {
		struct tape_history_at at = {0};
		const struct tape_spent *rest;
		const struct tape_sync *c;
		int is_given = s->peers->owner[tape_trace_flow(s->t, i)->rank];

		while ((c = tape_history_next_call(h, i, &at))) {
			list[i].calls +=
			    records_size(1, sizeof *c - STATS_CALL_FROM +
						c->n_spent * sizeof *c->spent);
			list[i].waits += c->wait_ns > 0;
			found += c->n_why;
			of += c->wait_ns > 0 && is_given;
		}
		list[i].rest =
		    records_size((double)tape_history_open_times(h, i, &rest),
				 sizeof *rest + 8);
	}
	*reasons = of > 0 ? found / of : 0;
	return list;
}

static double call_bytes(const struct stats *s, const int *owner, int n)
{
	double reasons, sum = 0;
	struct story *flow = flow_call_bytes(s, &reasons);
	char *wanted = tape_must(calloc(s->flows + 1, (size_t)n));
	const struct stats_waits *w;
	size_t at = 0;
	uint64_t key;

	for (size_t i = 0; i < s->flows; i++)
		if (owner[tape_trace_flow(s->t, i)->rank])
			sum += flow[i].calls + flow[i].rest +
			       flow[i].waits * reasons *
				   (double)sizeof(struct tape_spent);
	while ((w = tape_table_each(&s->waits, &at, &key))) {
		int by = owner[tape_trace_flow(s->t, w->flow)->rank];
		int of = owner[tape_trace_flow(s->t, w->late_flow)->rank];
		char *once = &wanted[w->late_flow * (size_t)n + (size_t)by];

		if (!by || by == of || *once || !w->n)
			continue;
		*once = 1;
		sum += flow[w->late_flow].calls +
		       records_size(1, sizeof(uint32_t));
	}
	free(flow);
	free(wanted);
	return sum;
}

/* ---- sums ---- */

static double sums_bytes(const struct stats *s, const int *owner, int n)
{
	double flows = 0, parts = 0, waits = 0, pairs = 0, places = 0;
	double classes = 0, meetings;
	const struct stats_part *p;
	const struct stats_waits *w;
	const struct stats_pair *q;
	uint64_t key;
	size_t at = 0;

	for (size_t i = 0; i < s->flows; i++)
		flows += owner[tape_trace_flow(s->t, i)->rank] > 0;
	while ((p = tape_table_each(&s->parts, &at, &key)))
		parts += owner[tape_trace_flow(s->t, p->flow)->rank] > 0;
	for (at = 0; (w = tape_table_each(&s->waits, &at, &key));)
		waits += owner[tape_trace_flow(s->t, w->flow)->rank] > 0;
	for (at = 0; (q = tape_table_each(&s->pairs, &at, &key));)
		pairs += owner[q->to] > 0;
	for (size_t i = 0; i < s->n_places; i++) {
		const struct stats_place *x = &s->place[i];

		places += x->calls || x->counted;
		for (size_t k = 0; x->histogram && k < STATS_CLASSES; k++)
			classes += x->histogram[k] > 0;
	}
	meetings = (double)s->events / n / TAPE_MEETING_EVENTS + 8;
	return records_size(flows, sizeof(struct stats_flow) + 32) +
	       records_size(parts, sizeof *p) + records_size(waits, sizeof *w) +
	       records_size(pairs, sizeof *q) +
	       (n - 1) * (records_size(places, sizeof(struct stats_place) + 8) +
			  records_size(classes, 16) +
			  records_size(1, sizeof s->size)) +
	       records_size((n - 1) * (double)n * meetings, TAPE_STATE_BYTES);
}

struct stats_volume stats_volume(const struct stats *s, int n)
{
	struct stats_volume v = {0};
	struct tape_peers p = {.n = n};

	if (n < 2)
		return v;
	if (tape_peers_partition(&p, s->t))
		tape_die_no_memory();
	v.messages = message_bytes(s, p.owner);
	v.collectives = collective_bytes(s, n);
	if (s->comparable)
		v.calls = call_bytes(s, p.owner, n);
	v.sums = sums_bytes(s, p.owner, n);
	free(p.owner);
	return v;
}

/* ---- telling ---- */

static double total_bytes(const struct stats_volume *v)
{
	return v->messages + v->collectives + v->calls + v->sums;
}

void stats_print_volume(const struct stats *s)
{
	double events = s->events ? (double)s->events : 1;
	int n = s->peers ? s->peers->n : 0, more = 0;
	struct stats_volume v;

	if (!s->peers)
		return;
	v = stats_volume(s, n);
	fprintf(stderr,
		"tapestat: %s: %.2f bytes an event between %d processes; "
		"modelled %.2f: messages %.2f, collectives %.2f, calls %.2f, "
		"sums %.2f\n",
		tape_trace_path(s->t), (double)s->exchanged / events, n,
		total_bytes(&v) / events, v.messages / events,
		v.collectives / events, v.calls / events, v.sums / events);
	for (int k = 4; k < 65536 && k < (int)s->ranks; k *= 4) {
		if (k <= n)
			continue;
		v = stats_volume(s, k);
		fprintf(stderr, "%s %d: %.2f",
			more++ ? "," : "tapestat: modelled by more of them:", k,
			total_bytes(&v) / events);
	}
	if (more)
		fprintf(stderr, "\n");
}
