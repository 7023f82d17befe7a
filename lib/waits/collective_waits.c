/* Who waited in collectives, and at the end; see analysis_state.h. */
#include <stdlib.h>

#include "hash_bits.h"
#include "analysis_state.h"

static int reserve_members(struct tape_analysis *a, size_t n)
{
	if (n <= a->members)
		return 0;
	free(a->member);
	free(a->wait_ns);
	free(a->late);
	free(a->order);
	a->members = n;
	a->member = malloc(n * sizeof *a->member);
	a->wait_ns = malloc(n * sizeof *a->wait_ns);
	a->late = malloc(n * sizeof *a->late);
	a->order = malloc((2 * n + 1) * sizeof *a->order);
	return a->member && a->wait_ns && a->late && a->order
		   ? 0
		   : tape_analysis_no_memory(a);
}

/* What tape_wait_collective wants to know of the members. */
static void set_members(struct tape_analysis *a,
			const struct tape_collective_round *q)
{
	int sent = 0, received = 0;

	for (int32_t i = 0; i < q->size; i++) {
		sent |= q->member[i].sent > 0;
		received |= q->member[i].received > 0;
	}
	for (int32_t i = 0; i < q->size; i++) {
		const struct tape_member *m = &q->member[i];

		/* without byte counts they decide nothing */
		a->member[i] = (struct tape_wait_member){
		    m->begun_ns,      m->awaited_ns,
		    m->ended_ns,      m->begun.event && m->ended.event,
		    !sent || m->sent, !received || m->received};
	}
}

/*
 * By how much two dates of the trace may be wrong, at most: within one clock
 * not at all. INT64_MAX: nobody guarantees anything.
 */
static int64_t worst_slack(const struct tape_trace *t)
{
	int64_t lo = 0, hi = 0;

	for (size_t d = 0; d < tape_trace_domains(t); d++) {
		const struct tape_domain_info *x =
		    tape_trace_domain(t, (uint32_t)d);

		for (size_t i = 0; x && i < x->n_pieces; i++) {
			lo = x->pieces[i].lo_ns < lo ? x->pieces[i].lo_ns : lo;
			hi = x->pieces[i].hi_ns > hi ? x->pieces[i].hi_ns : hi;
		}
	}
	return hi > INT64_MAX / 2 || lo < -(INT64_MAX / 2) ? INT64_MAX
							   : hi - lo;
}

/*
 * The same of the members of q, if it matters: if some date says that one left
 * before another came.
 */
static int64_t round_slack(struct tape_analysis *a,
			   const struct tape_collective_round *q)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (int32_t i = 0; tape_trace_domains(a->t) > 1 && i < q->size; i++) {
		const struct tape_wait_member *m = &a->member[i];

		if (!m->there)
			continue;
		first = m->ended_ns < first ? m->ended_ns : first;
		last = m->begun_ns > last ? m->begun_ns : last;
	}
	if (last <= first)
		return 0;
	/* of a trace that is followed, clocks become better known */
	if (a->followed || !a->slack_known)
		a->slack_ns = worst_slack(a->t);
	a->slack_known = 1;
	return a->slack_ns;
}

static enum tape_wait_kind
round_wait_kind(const struct tape_collective_round *q)
{
	switch (q->shape) {
	case TAPE_SHAPE_ALL:
		return tape_call_traits(q->call) & TAPE_TRAIT_SYNCHRONISING ||
			       q->call == TAPE_CALL_pvm_barrier
			   ? TAPE_WAIT_BARRIER
			   : TAPE_WAIT_N_TO_N;
	case TAPE_SHAPE_FROM:
		return TAPE_WAIT_LATE_ROOT;
	case TAPE_SHAPE_TO:
		return TAPE_WAIT_EARLY_ROOT;
	case TAPE_SHAPE_SCAN:
		return TAPE_WAIT_PREFIX;
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_NEAR:
		break;
	}
	return TAPE_WAIT_NONE;
}

/* Equal for members of this one, and for nothing else. */
static uint64_t round_number(const struct tape_collective_round *q)
{
	uint64_t x =
	    tape_spread_bits(q->comm + 1) ^ (q->k + 1) * 0xc2b2ae3d27d4eb4fu;

	return x | 2;
}

/* Tells the owner of the member. */
static int report_result(struct tape_analysis *a, int rank,
			 const struct result *r)
{
	if (tape_peers_owns_rank(a->peers, rank))
		return tape_analysis_add_result(a, r);
	return tape_parallel_send_result(a, a->peers->owner[rank], r);
}

int tape_analysis_add_round(struct tape_analysis *a,
			    const struct tape_collective_round *q)
{
	int rc = 0, whole = q->size > 1 && q->left >= q->known;

	if (reserve_members(a, (size_t)q->size))
		return a->error;
	set_members(a, q);
	if (whole)
		tape_wait_collective(q->shape, round_slack(a, q), q->root,
				     a->member, (size_t)q->size, a->order,
				     a->wait_ns, a->late);
	for (int32_t i = 0; !rc && i < q->size; i++) {
		const struct tape_member *m = &q->member[i], *l;
		struct result r = {.kind = round_wait_kind(q),
				   .event = m->ended.event};

		if (!m->ended.event)
			continue;
		r.flow = (uint32_t)tape_analysis_flow_index(a, m->ended.rank,
							    m->ended.thread);
		if (whole && a->member[i].there && q->shape == TAPE_SHAPE_ALL)
			r.round = round_number(q);
		if (whole && a->member[i].there && a->wait_ns[i]) {
			l = &q->member[a->late[i]];
			r.from_ns = m->awaited_ns;
			r.ns = a->wait_ns[i];
			r.late_flow = (uint32_t)tape_analysis_flow_index(
			    a, l->begun.rank, l->begun.thread);
			r.late_event = l->begun.event;
			r.late_call = tape_analysis_place(a, &l->begun);
			r.cause_ns = l->begun_ns;
		}
		rc = report_result(a, m->ended.rank, &r);
	}
	return rc;
}

/* Does x end after y, or is its flow before that one's? */
static int ends_later(const struct result *x, const struct result *y)
{
	if (!y->event || x->from_ns != y->from_ns)
		return !y->event || x->from_ns > y->from_ns;
	return x->flow < y->flow;
}

struct result tape_analysis_last_finalize(const struct tape_analysis *a)
{
	struct result last = {0};

	for (size_t i = 0; i < a->n; i++) {
		const struct tape_sync *s = a->lanes[i].end;
		struct result r;

		if (!s)
			continue;
		r = (struct result){.event = s->event,
				    .from_ns = s->begun_ns,
				    .flow = s->flow,
				    .late_call = s->call};
		if (ends_later(&r, &last))
			last = r;
	}
	return last;
}

int tape_analysis_end_waits(struct tape_analysis *a, const struct result *last)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < a->n; i++) {
		struct tape_sync *s = a->lanes[i].end;
		struct result r = {.kind = TAPE_WAIT_END,
				   .late_flow = last->flow,
				   .late_event = last->event,
				   .late_call = last->late_call,
				   .cause_ns = last->from_ns};

		if (!s)
			continue;
		r.from_ns = s->begun_ns;
		r.ns = tape_wait_late_sender(s->begun_ns, s->ended_ns,
					     last->from_ns);
		if (i != last->flow)
			tape_analysis_set_wait(s, &r);
		rc = tape_analysis_settle_call(a, s);
	}
	/* of others something was never known */
	for (size_t i = 0; !rc && a->unknown && i < a->n; i++)
		for (struct tape_sync *s =
			 tape_history_last_call(a->history, i);
		     !rc && s; s = s->before) {
			tape_history_count_read(a->history, s);
			if (s->due) {
				s->due = 1;
				rc = tape_analysis_settle_call(a, s);
			}
		}
	return rc;
}
