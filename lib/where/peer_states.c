/*
 * States of several processes that follow a trace together, each the flows of
 * its own ranks: process 0 collects all of them; see states.h.
 */
#include <string.h>

#include "collect.h"
#include "growing_array.h"
#include "messages_left.h"
#include "tool.h"

enum {
	RECORD_RANK = TAPE_KINDS_OF_WHERE,
	RECORD_ROUNDS,
	RECORD_FLOW,
	RECORD_REQUEST,
	RECORD_SEND,
	RECORD_RECEIVE,
	RECORD_SUMMARY
};

struct rank_record {
	uint64_t rank;
	struct where_rank state; /* its list is not sent */
};

struct rounds_record {
	uint64_t rank, comm;
	struct where_rounds rounds;
};

struct flow_record {
	uint64_t flow;
	struct where_flow state;
};

struct request_record {
	uint64_t at; /* index in struct where_messages */
	struct tape_request request; /* its pointers are not followed */
};

struct summary {
	int64_t now_ns;
	uint64_t n_unsent;
	int32_t is_running, is_partial;
	char why_partial[sizeof((struct where_states *)0)->why_partial];
};

/* ---- the other processes ---- */

static void send_rank(const struct where_states *s, struct tape_peers *p,
		      size_t k)
{
	const struct where_rank *r = &s->rank[k];
	struct rank_record own = {k, *r};

	tape_peers_gather_add(p, RECORD_RANK, &own, sizeof own);
	for (size_t comm = 0; comm < r->n_rounds; comm++) {
		struct rounds_record of = {k, comm, r->rounds[comm]};

		if (of.rounds.calls)
			tape_peers_gather_add(p, RECORD_ROUNDS, &of, sizeof of);
	}
}

static void send_flow(const struct where_states *s, struct tape_peers *p,
		      size_t i)
{
	struct flow_record own = {i, s->flow[i]};

	tape_peers_gather_add(p, RECORD_FLOW, &own, sizeof own);
	for (uint32_t k = 0; k < own.state.call.n_requests; k++) {
		struct request_record of = {i * TAPE_CALL_REQUESTS_MAX + k,
					    {0}};

		of.request = s->messages->request[of.at];
		tape_peers_gather_add(p, RECORD_REQUEST, &of, sizeof of);
	}
}

static void send_own_states(const struct where_states *s, struct tape_peers *p)
{
	struct summary own = {.now_ns = s->now_ns,
			      .n_unsent = s->n_unsent,
			      .is_running = s->is_running,
			      .is_partial = s->is_partial};

	memcpy(own.why_partial, s->why_partial, sizeof own.why_partial);
	for (size_t k = 0; k < s->n_ranks; k++)
		if (tape_peers_owns_rank(p, (int)k))
			send_rank(s, p, k);
	for (size_t i = 0; i < s->n_flows; i++)
		if (tape_peers_owns_rank(p, s->flow[i].rank))
			send_flow(s, p, i);
	for (size_t i = 0; i < s->n_sends; i++)
		tape_peers_gather_add(p, RECORD_SEND, &s->send[i],
				      sizeof s->send[i]);
	for (size_t i = 0; i < s->n_receives; i++)
		tape_peers_gather_add(p, RECORD_RECEIVE, &s->receive[i],
				      sizeof s->receive[i]);
	tape_peers_gather_add(p, RECORD_SUMMARY, &own, sizeof own);
}

/* ---- process 0 ---- */

static void add_rank(struct where_states *s, const void *data)
{
	struct rank_record r;

	memcpy(&r, data, sizeof r);
	if (r.rank >= s->n_ranks)
		return;
	r.state.rounds = s->rank[r.rank].rounds;
	r.state.n_rounds = s->rank[r.rank].n_rounds;
	s->rank[r.rank] = r.state;
}

static void add_rounds(struct where_states *s, const void *data)
{
	struct rounds_record r;

	memcpy(&r, data, sizeof r);
	if (r.rank < s->n_ranks)
		*where_get_rounds(&s->rank[r.rank], (uint32_t)r.comm) =
		    r.rounds;
}

static void add_flow(struct where_states *s, const void *data)
{
	struct flow_record r;

	memcpy(&r, data, sizeof r);
	if (r.flow < s->n_flows)
		s->flow[r.flow] = r.state;
}

static void add_request(struct where_states *s, const void *data)
{
	struct request_record r;

	memcpy(&r, data, sizeof r);
	if (r.at < s->n_flows * TAPE_CALL_REQUESTS_MAX)
		s->messages->request[r.at] = r.request;
}

static void add_send(struct where_states *s, const void *data)
{
	s->send =
	    tape_must(tape_grow_array(s->send, &s->messages->send_room,
				      s->n_sends + 1, sizeof *s->send));
	memcpy(&s->send[s->n_sends++], data, sizeof *s->send);
}

static void add_receive(struct where_states *s, const void *data)
{
	s->receive =
	    tape_must(tape_grow_array(s->receive, &s->messages->room,
				      s->n_receives + 1, sizeof *s->receive));
	memcpy(&s->receive[s->n_receives++], data, sizeof *s->receive);
}

static void add_summary(struct where_states *s, const void *data)
{
	struct summary r;

	memcpy(&r, data, sizeof r);
	s->n_unsent += r.n_unsent;
	s->is_running |= r.is_running;
	s->now_ns = r.now_ns > s->now_ns ? r.now_ns : s->now_ns;
	if (!s->is_partial && r.is_partial) {
		s->is_partial = r.is_partial;
		memcpy(s->why_partial, r.why_partial, sizeof s->why_partial);
	}
}

static void add_record(void *own, int from, unsigned kind, const void *data,
		       size_t bytes)
{
	static void (*const add[])(struct where_states *, const void *) = {
	    add_rank, add_rounds, add_flow,    add_request,
	    add_send, add_receive, add_summary,
	};

	(void)from;
	(void)bytes;
	if (kind >= RECORD_RANK && kind <= RECORD_SUMMARY)
		add[kind - RECORD_RANK](own, data);
}

void where_collect_states(struct where_states *s, struct tape_peers *p)
{
	if (p->me)
		send_own_states(s, p);
	tape_peers_gather(p, p->me ? NULL : add_record, s);
}
