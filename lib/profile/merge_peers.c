/* Sums of others put together with one's own; see parallel_sums.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counter_sums.h"
#include "outside_time.h"
#include "parallel_sums.h"
#include "phase_log.h"
#include "region_sums.h"
#include "tape_follow.h"
#include "tool.h"

/* How a flow ended. */
struct flow_record {
	uint32_t flow, damaged;
	struct stats_end end;
	struct stats_flow sums;
};

struct place_record {
	uint32_t place, pad;
	struct stats_place sums;
};

/* Calls of a place in a class of their lengths. */
struct class_record {
	uint32_t place, class_;
	uint64_t calls;
};

struct coll_record {
	uint64_t call;
	struct stats_coll sums;
};

struct sums_record {
	uint64_t events, messages, rounds, unmatched;
	double wrong_order_ns, waited_ns[TAPE_WAIT_KINDS];
};

/* ---- giving ---- */

static int is_mine(const struct stats *s, size_t flow)
{
	return tape_peers_owns_rank(s->peers,
				    tape_trace_flow(s->t, flow)->rank);
}

/* To process 0, or as a copy. */
static void send_record(struct stats *s, struct tape_bytes *copy,
			enum stats_record kind, const void *data, size_t bytes)
{
	if (!copy)
		tape_peers_gather_add(s->peers, kind, data, bytes);
	else if (tape_bytes_put(copy, kind, data, bytes))
		tape_die_no_memory();
}

/* A flow of a trace that is followed is read once: in the reader's words. */
static void send_damage(struct stats *s, size_t flow)
{
	char text[600];
	uint32_t head[2];
	int nothing;
	const char *why = tape_trace_damage(s->t, flow, &nothing);

	head[0] = (uint32_t)flow;
	head[1] = (uint32_t)nothing;
	memcpy(text, head, sizeof head);
	snprintf(text + sizeof head, sizeof text - sizeof head, "%s", why);
	tape_peers_gather_add(s->peers, STATS_DAMAGE, text,
			      sizeof head + strlen(text + sizeof head) + 1);
}

static void send_flows(struct stats *s, struct tape_bytes *copy)
{
	struct tape_replay *r = tape_analysis_replay(s->analysis);
	int followed = tape_trace_followed(s->t);

	for (size_t i = 0; i < s->flows; i++) {
		struct flow_record f;

		if (!is_mine(s, i))
			continue;
		memset(&f, 0, sizeof f);
		f.flow = (uint32_t)i;
		f.damaged = tape_trace_damage(s->t, i, NULL) != NULL;
		f.end.end = tape_replay_end(r, i, &f.end.lost);
		f.sums = s->flow[i];
		/* there is room for many that never come */
		if (followed && !f.sums.events && !f.damaged &&
		    f.end.end == TAPE_END_NONE)
			continue;
		if (followed && f.damaged && !copy)
			send_damage(s, i);
		send_record(s, copy, STATS_FLOW, &f, sizeof f);
	}
}

static void send_places(struct stats *s, struct tape_bytes *copy)
{
	for (uint32_t i = 0; i < s->n_places; i++) {
		const struct stats_place *p = &s->place[i];
		static const struct stats_place none;
		struct place_record one = {i, 0, *p};

		if (!memcmp(p, &none, sizeof none))
			continue;
		send_record(s, copy, STATS_PLACE, &one, sizeof one);
		for (uint32_t k = 0; !copy && p->histogram && k < STATS_CLASSES;
		     k++) {
			struct class_record c = {i, k, p->histogram[k]};

			if (c.calls)
				tape_peers_gather_add(s->peers, STATS_CLASS, &c,
						      sizeof c);
		}
	}
}

static void send_table(struct stats *s, struct tape_bytes *copy,
		       const struct tape_table *t, enum stats_record kind)
{
	const void *one;
	size_t at = 0;
	uint64_t key;

	while ((one = tape_table_each(t, &at, &key)))
		send_record(s, copy, kind, one, t->bytes);
}

void stats_sums_send(struct stats *s, struct tape_bytes *copy)
{
	struct sums_record all = {s->events,	s->messages,	   s->rounds,
				  s->unmatched, s->wrong_order_ns, {0}};
	const struct tape_unmatched_line *l;
	uint64_t at = 0;

	send_flows(s, copy);
	send_places(s, copy);
	send_table(s, copy, &s->parts, STATS_PART);
	send_table(s, copy, &s->waits, STATS_WAIT);
	send_table(s, copy, &s->pairs, STATS_PAIR);
	send_record(s, copy, STATS_SIZE, s->size, sizeof s->size);
	for (uint64_t i = 0; i < TAPE_CALL_COUNT; i++) {
		struct coll_record c = {i, s->coll[i]};

		if (c.sums.rounds || c.sums.waiting_ns > 0)
			send_record(s, copy, STATS_COLL, &c, sizeof c);
	}
	while ((l = tape_unmatched_each(s->unpaired, &at)))
		send_record(s, copy, STATS_UNPAIRED, l, sizeof *l);
	memcpy(all.waited_ns, s->waited_ns, sizeof all.waited_ns);
	send_record(s, copy, STATS_SUMS, &all, sizeof all);
}

static void send_own_sums(struct stats *s, struct stats_histories *h)
{
	if (s->comparable && stats_has_history(s))
		stats_histories_send(h);
	else
		stats_histories_send_places(h);
	stats_sums_send(s, NULL);
	send_table(s, NULL, &s->counted, STATS_COUNTED);
	send_table(s, NULL, &s->outside, STATS_OUTSIDE);
	send_table(s, NULL, &s->within, STATS_WITHIN);
	send_table(s, NULL, &s->regions, STATS_REGION);
	for (size_t i = 0; i < s->notes.n; i++)
		tape_peers_gather_add(s->peers, STATS_NOTE, &s->notes.list[i],
				      sizeof s->notes.list[i]);
	if (s->log)
		phase_log_send(s->log, s->peers);
}

/* ---- taking ---- */

struct taker {
	struct stats *s;
	struct stats_histories *histories;
};

/* The number here of a place. */
static uint32_t local_place(const struct taker *k, int from, uint32_t place)
{
	return stats_histories_place(k->histories, from, place);
}

static void add_flow(struct stats *s, int from, const void *data)
{
	struct flow_record f;

	memcpy(&f, data, sizeof f);
	if (s->ends)
		s->ends[f.flow] = f.end;
	s->flow[f.flow] = f.sums;
	tape_analysis_set_span(s->analysis, f.flow, f.sums.span);
	if (f.damaged && !tape_trace_followed(s->t))
		tape_peers_find_damage(s->peers, s->t, f.flow, from);
}

static void add_damage(struct stats *s, const void *data)
{
	const char *text = data;
	uint32_t head[2];

	memcpy(head, data, sizeof head);
	if (tape_trace_set_damage(s->t, head[0], text + sizeof head,
				  (int)head[1]))
		tape_die_no_memory();
}

static void add_place_sums(const struct taker *k, int from, const void *data)
{
	struct stats_place *p, *q;
	struct place_record one;

	memcpy(&one, data, sizeof one);
	p = stats_get_place(k->s, local_place(k, from, one.place));
	q = &one.sums;
	p->calls += q->calls;
	p->counted += q->counted;
	p->counted_ns += q->counted_ns;
	p->total_ns += q->total_ns;
	p->max_ns = fmax(p->max_ns, q->max_ns);
	p->waiting_ns += q->waiting_ns;
	p->own_ns += q->own_ns;
	p->inside_ns += q->inside_ns;
	p->outermost += q->outermost;
	p->bytes += q->bytes;
	p->least_ns += q->least_ns;
	p->most_ns += q->most_ns;
	p->alpha.less += q->alpha.less;
	p->alpha.more += q->alpha.more;
	call_growth_merge(&p->growth, &q->growth);
}

static void add_class_calls(const struct taker *k, int from, const void *data)
{
	struct class_record c;
	struct stats_place *p;

	memcpy(&c, data, sizeof c);
	p = stats_get_place(k->s, local_place(k, from, c.place));
	if (!p->histogram)
		p->histogram =
		    tape_must(calloc(STATS_CLASSES, sizeof *p->histogram));
	p->histogram[c.class_] += c.calls;
}

static void merge_wait(const struct taker *t, int from, const void *data)
{
	struct stats_waits one, *k;

	memcpy(&one, data, sizeof one);
	one.call = local_place(t, from, one.call);
	k = stats_get_waits(t->s, &one);
	k->call = one.call;
	k->kind = one.kind;
	k->flow = one.flow;
	k->late_flow = one.late_flow;
	k->n += one.n;
	k->ns += one.ns;
	k->max_ns = fmax(k->max_ns, one.max_ns);
	k->wrong_order_ns += one.wrong_order_ns;
}

static void add_pair_sums(struct stats *s, const void *data)
{
	struct stats_pair one, *p;

	memcpy(&one, data, sizeof one);
	p = tape_must(tape_table_get(
	    &s->pairs,
	    ((uint64_t)(uint32_t)one.from << 32 | (uint32_t)one.to) + 1));
	p->from = one.from;
	p->to = one.to;
	p->messages += one.messages;
	p->bytes += one.bytes;
	p->late_ns += one.late_ns;
}

/* Of a table by place and flow: no two processes have the same flow. */
static void set_record(const struct taker *k, int from, struct tape_table *t,
		       const void *data)
{
	struct stats_key key, *to;

	memcpy(&key, data, sizeof key);
	if (key.place)
		key.place = local_place(k, from, key.place);
	to = stats_get_record(t, key.place, key.flow);
	memcpy(to, data, t->bytes);
	*to = key;
}

static void add_sizes(struct stats *s, const void *data)
{
	struct stats_size size[65];

	memcpy(size, data, sizeof size);
	for (int i = 0; i < 65; i++) {
		s->size[i].messages += size[i].messages;
		s->size[i].bytes += size[i].bytes;
		s->size[i].transit_ns += size[i].transit_ns;
	}
}

static void add_collective(struct stats *s, const void *data)
{
	struct coll_record c;
	struct stats_coll *q;

	memcpy(&c, data, sizeof c);
	q = &s->coll[c.call];
	q->rounds += c.sums.rounds;
	q->members += c.sums.members;
	q->bytes += c.sums.bytes;
	q->total_ns += c.sums.total_ns;
	q->waiting_ns += c.sums.waiting_ns;
}

static void add_unpaired(struct stats *s, const void *data)
{
	struct tape_unmatched_line l;

	memcpy(&l, data, sizeof l);
	if (tape_unmatched_add(s->unpaired, &l))
		tape_die_no_memory();
}

static void add_total_sums(struct stats *s, const void *data)
{
	struct sums_record all;

	memcpy(&all, data, sizeof all);
	s->events += all.events;
	s->messages += all.messages;
	s->rounds += all.rounds;
	s->unmatched += all.unmatched;
	s->wrong_order_ns += all.wrong_order_ns;
	for (int i = 0; i < TAPE_WAIT_KINDS; i++)
		s->waited_ns[i] += all.waited_ns[i];
}

static void add_phase_step(const struct taker *k, int from, const void *data)
{
	struct phase_step one;

	memcpy(&one, data, sizeof one);
	one.place = local_place(k, from, one.place);
	if (k->s->log)
		phase_log_add_step(k->s->log, &one);
}

static void receive_sums(void *own, int from, unsigned kind, const void *data,
			 size_t bytes)
{
	struct taker *k = own;

	if (stats_histories_receive(k->histories, from, kind, data, bytes))
		return;
	switch ((enum stats_record)kind) {
	case STATS_FLOW:
		add_flow(k->s, from, data);
		break;
	case STATS_PLACE:
		add_place_sums(k, from, data);
		break;
	case STATS_CLASS:
		add_class_calls(k, from, data);
		break;
	case STATS_PART:
		set_record(k, from, &k->s->parts, data);
		break;
	case STATS_WAIT:
		merge_wait(k, from, data);
		break;
	case STATS_PAIR:
		add_pair_sums(k->s, data);
		break;
	case STATS_COUNTED:
		set_record(k, from, &k->s->counted, data);
		break;
	case STATS_OUTSIDE:
		set_record(k, from, &k->s->outside, data);
		break;
	case STATS_WITHIN:
		set_record(k, from, &k->s->within, data);
		break;
	case STATS_REGION:
		set_record(k, from, &k->s->regions, data);
		break;
	case STATS_SIZE:
		add_sizes(k->s, data);
		break;
	case STATS_UNPAIRED:
		add_unpaired(k->s, data);
		break;
	case STATS_COLL:
		add_collective(k->s, data);
		break;
	case STATS_SUMS:
		add_total_sums(k->s, data);
		break;
	case STATS_NOTE:
		tape_notices_receive(k->s->missing, data);
		break;
	case STATS_DAMAGE:
		add_damage(k->s, data);
		break;
	case STATS_FORGOT:
		k->s->forgot = 1;
		break;
	case STATS_STEP:
		add_phase_step(k, from, data);
		break;
	case STATS_NEED:
	case STATS_LOAD:
	case STATS_DOING:
	case STATS_COMPUTES:
	case STATS_AT:
	case STATS_CALL:
	case STATS_REST:
	case STATS_REQUEST:
	case STATS_PATH:
	case STATS_CELL:
	case STATS_LINE:
	case STATS_MARKED:
		break;
	}
}

void stats_sums_receive(struct stats *s, struct stats_histories *h, int from,
			unsigned kind, const void *data, size_t bytes)
{
	struct taker k = {s, h};

	receive_sums(&k, from, kind, data, bytes);
}

static void receive_all_sums(struct stats *s, struct stats_histories *h)
{
	struct tape_replay *r = tape_analysis_replay(s->analysis);
	struct taker k = {s, h};

	s->ends = tape_must(calloc(s->flows + 1, sizeof *s->ends));
	for (size_t i = 0; i < s->flows; i++)
		if (is_mine(s, i))
			s->ends[i].end =
			    tape_replay_end(r, i, &s->ends[i].lost);
	tape_peers_gather(s->peers, receive_sums, &k);
	tape_analysis_link_waits(s->analysis);
	stats_get_place(s, tape_places_count(s->places) - 1);
}

/* All hear whether one has forgotten what its flows did. */
static void exchange_dropped(struct stats *s, struct stats_histories *h)
{
	struct taker k = {s, h};
	uint32_t yes = 1;

	if (!tape_trace_followed(s->t))
		return;
	for (int to = 0; !stats_has_history(s) && to < s->peers->n; to++)
		if (to != s->peers->me)
			tape_peers_exchange_add(s->peers, to, STATS_FORGOT,
						&yes, sizeof yes, receive_sums,
						&k);
	tape_peers_exchange(s->peers, receive_sums, &k);
}

int stats_merge_peers(struct stats *s)
{
	struct stats_histories *h = stats_histories_new(s);
	uint64_t before = s->exchanged;

	exchange_dropped(s, h);
	if (s->comparable && stats_has_history(s))
		stats_histories_share(h);
	if (!s->peers->me) {
		receive_all_sums(s, h);
	} else {
		send_own_sums(s, h);
		tape_peers_gather(s->peers, NULL, NULL);
	}
	stats_histories_free(h);
	s->exchanged = tape_peers_all_bytes(s->peers) - before;
	return !s->peers->me;
}
