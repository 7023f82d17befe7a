/* Who waited in collectives, and at the end; see analysis_state.h. */
#include <stdlib.h>

#include "analysis_state.h"

static int make_room(struct tape_analysis *a, size_t n)
{
	if (n <= a->members)
		return 0;
	free(a->member);
	free(a->wait_ns);
	free(a->late);
	a->members = n;
	a->member = malloc(n * sizeof *a->member);
	a->wait_ns = malloc(n * sizeof *a->wait_ns);
	a->late = malloc(n * sizeof *a->late);
	return a->member && a->wait_ns && a->late
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

		/* where no bytes are said, nothing can be told from them */
		a->member[i] = (struct tape_wait_member){
			m->begun_ns, m->awaited_ns, m->ended_ns,
			m->begun.event && m->ended.event,
			!sent || m->sent, !received || m->received };
	}
}

static enum tape_wait_kind kind_of(const struct tape_collective_round *q)
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

static struct tape_sync *call_of(struct tape_analysis *a,
				 const struct tape_where *w, int64_t ns)
{
	return tape_history_at(a->history,
			       tape_analysis_flow(a, w->rank, w->thread), ns);
}

/* Equal for members of this one, and for nothing else. */
static uint64_t number(const struct tape_collective_round *q)
{
	uint64_t x = (q->comm + 1) * 0x9e3779b97f4a7c15u ^
		     (q->k + 1) * 0xc2b2ae3d27d4eb4fu;

	return x | 2;
}

int tape_analysis_round(struct tape_analysis *a,
			const struct tape_collective_round *q)
{
	int rc = 0;

	if (q->size < 2 || q->left < q->known)
		return 0;
	if (make_room(a, (size_t)q->size))
		return a->error;
	set_members(a, q);
	tape_wait_collective(q->shape, !q->weak, q->root, a->member,
			     (size_t)q->size, a->wait_ns, a->late);
	for (int32_t i = 0; !rc && i < q->size; i++) {
		const struct tape_member *m = &q->member[i], *l;
		struct tape_waited w = { .kind = kind_of(q) };
		struct tape_sync *s;

		if (!a->member[i].there)
			continue;
		s = call_of(a, &m->ended, m->awaited_ns);
		if (!s || s->ended_ns < m->ended_ns)
			continue;
		if (q->shape == TAPE_SHAPE_ALL)
			s->round = number(q);
		if (!a->wait_ns[i])
			continue;
		l = &q->member[a->late[i]];
		w.from_ns = m->awaited_ns;
		w.ns = a->wait_ns[i];
		w.late_flow = tape_analysis_flow(a, l->begun.rank,
						 l->begun.thread);
		rc = tape_analysis_put(a, w, s,
				       call_of(a, &l->begun, l->begun_ns),
				       l->begun_ns);
	}
	return rc;
}

int tape_analysis_end(struct tape_analysis *a)
{
	struct tape_sync *last = NULL, *s;
	int rc = 0;

	for (size_t i = 0; i < a->n; i++) {
		s = a->lanes[i].end;
		if (s && (!last || s->begun_ns > last->begun_ns))
			last = s;
	}
	for (size_t i = 0; !rc && i < a->n; i++) {
		struct tape_waited w = { .kind = TAPE_WAIT_END };

		s = a->lanes[i].end;
		if (!s || s == last)
			continue;
		w.from_ns = s->begun_ns;
		w.ns = tape_wait_late_sender(s->begun_ns, s->ended_ns,
					     last->begun_ns);
		w.late_flow = last->flow;
		if (w.ns)
			rc = tape_analysis_put(a, w, s, last, last->begun_ns);
	}
	return rc;
}
