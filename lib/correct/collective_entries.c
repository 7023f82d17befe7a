/* Entries of a collective, as corrected; see item_state.h. */
#include "item_state.h"

int engine_add_entry(struct tape_round *q, int rank, int64_t start_ns,
		     int64_t written_ns, const struct tape_delay *p)
{
	struct collective_state *m = collective_state(q);
	struct tape_delay *ta = &m->latest_ta;
	double at;

	if (!tape_round_enter(q, rank, start_ns))
		return 0;
	if (q->entered == 1) {
		*ta = (struct tape_delay){-p->p, -p->lo, -p->hi};
		m->latest_written_ns = written_ns;
		m->lo = p->lo;
		m->hi = p->hi;
	}
	m->lo = tape_min(m->lo, p->lo);
	m->hi = tape_max(m->hi, p->hi);
	member_state(q, rank)->written_ns = written_ns;
	member_state(q, rank)->p = *p;
	if (written_ns > m->latest_written_ns)
		m->latest_written_ns = written_ns;
	at = (double)(start_ns - q->base_ns);
	ta->p = tape_max(ta->p, at - p->p);
	ta->lo = tape_max(ta->lo, at - p->lo);
	ta->hi = tape_max(ta->hi, at - p->hi);
	return 1;
}
