/* Processes that play a trace meet; see pacing.h. */
#include <string.h>

#include "pacing.h"

/* Time ahead of the last one at first. */
enum { AHEAD_NS = 1000000 };

/* Where a process stands. */
struct state {
	int64_t next_ns; /* INT64_MAX: it is over */
	uint64_t full;	 /* it has played all the events that it may */
};
_Static_assert(sizeof(struct state) == TAPE_STATE_BYTES, "see pacing.h");

void tape_pacing_init(struct tape_pacing *m)
{
	*m = (struct tape_pacing){.ahead_ns = AHEAD_NS,
				  .next_ns = INT64_MIN,
				  .limit_ns = INT64_MAX,
				  .most_ns = INT64_MAX / 2};
}

static int send_pacing_state(struct tape_peers *p, const struct state *s)
{
	int rc = 0;

	for (int i = 0; !rc && i < p->n; i++)
		rc = tape_peers_put(p, i, TAPE_PEERS_STATE, s, sizeof *s);
	return rc;
}

int tape_pacing_attend(struct tape_pacing *m, struct tape_replay *r,
		       struct tape_peers *p)
{
	struct state s = {.next_ns = tape_replay_next_ns(r)};

	if (s.next_ns == INT64_MAX)
		s.next_ns = m->next_ns;
	return send_pacing_state(p, &s);
}

int tape_pacing_begin(struct tape_pacing *m, struct tape_replay *r,
		      struct tape_peers *p)
{
	struct state s = {.next_ns = tape_replay_next_ns(r),
			  .full = p->events - m->events >= TAPE_MEETING_EVENTS};
	int rc;

	m->first_ns = INT64_MAX;
	m->last_ns = INT64_MIN;
	m->full = 0;
	m->events = p->events;
	m->next_ns = s.next_ns;
	rc = send_pacing_state(p, &s);
	if (!rc && s.next_ns == INT64_MAX)
		rc = tape_replay_flush(r);
	return rc;
}

void tape_pacing_receive(struct tape_pacing *m, const void *state)
{
	struct state s;

	memcpy(&s, state, sizeof s);
	m->full |= s.full != 0;
	if (s.next_ns == INT64_MAX)
		return;
	if (s.next_ns < m->first_ns)
		m->first_ns = s.next_ns;
	if (s.next_ns > m->last_ns)
		m->last_ns = s.next_ns;
}

/* How far ahead the first one may be: while one is at work on all the events
 * that it may, others need not go on, and what they send waits. */
static void adapt_lookahead(struct tape_pacing *m)
{
	if (!m->full && m->ahead_ns <= m->most_ns / 2)
		m->ahead_ns *= 2;
	else if (m->full && m->ahead_ns > 1 &&
		 m->last_ns / 2 - m->first_ns / 2 > m->ahead_ns / 4)
		m->ahead_ns /= 2;
}

void tape_pacing_end(struct tape_pacing *m, struct tape_replay *r)
{
	int64_t until_ns;

	if (m->first_ns == INT64_MAX) {
		tape_replay_finish(r);
		return;
	}
	adapt_lookahead(m);
	until_ns = m->first_ns > INT64_MAX - m->ahead_ns
		       ? INT64_MAX
		       : m->first_ns + m->ahead_ns;
	tape_replay_set_limit(r,
			      until_ns < m->limit_ns ? until_ns : m->limit_ns,
			      TAPE_MEETING_EVENTS);
}

int tape_pacing_synchronise(struct tape_pacing *m, struct tape_replay *r,
			    struct tape_peers *p)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;

	if (tape_pacing_begin(m, r, p) || p->swap(p))
		return TAPE_ENOMEM;
	while ((data = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == TAPE_PEERS_STATE)
			tape_pacing_receive(m, data);
		else if (tape_replay_arrive(r, kind, data) < 0)
			return TAPE_ENOMEM;
	tape_pacing_end(m, r);
	return 0;
}
