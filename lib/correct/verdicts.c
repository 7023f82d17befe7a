/* Whether timestamps contradict a dependency; see verdicts.h. */
#include "verdicts.h"

static int have_one_clock(const struct engine *g, int a, int b)
{
	return !g->clocks ||
	       (a >= 0 && b >= 0 && g->clock[a].domain == g->clock[b].domain);
}

/*
 * Rank a ended what waits late_ns before rank b began what it waits for.
 * is_weak: it need not have waited.
 */
static enum engine_verdict judge_lateness(const struct engine *g,
					  double late_ns, int a, int b,
					  int is_weak)
{
	if (late_ns <= 0 || late_ns <= engine_clock_slack(g, a, b))
		return ENGINE_DEPENDS;
	if (is_weak)
		return ENGINE_INDEPENDENT;
	return have_one_clock(g, a, b) ? ENGINE_WRONG_TRACE
				       : ENGINE_WRONG_CLOCKS;
}

int engine_is_shared_pair(const struct flow *f, const struct tape_op *op,
			  const struct tape_slot *s)
{
	/* another thread may receive what one has probed */
	if (op->kind == TAPE_OP_PROBE && !op->r->posted &&
	    f->threads->n_threads > 1)
		return 1;
	return s->send->begun.shared || s->recv->begun.shared;
}

enum engine_verdict engine_judge_pair(const struct engine *g,
				      const struct flow *f,
				      const struct tape_op *op,
				      const struct tape_slot *s)
{
	int is_send = op->kind == TAPE_OP_SEND_END;
	const struct tape_match_side *other = is_send ? s->recv : s->send;
	int is_weak = engine_is_shared_pair(f, op, s) ||
		      (is_send && !(tape_call_traits(op->r->call) &
				    TAPE_TRAIT_SYNCHRONOUS));

	if (!(is_send ? tape_is_posted(s) : tape_is_sent(s)))
		return ENGINE_DEPENDS;
	return judge_lateness(g, (double)(other->start_ns - f->e->end_ns),
			      op->r->from, op->r->to, is_weak);
}

enum engine_verdict engine_judge_window(const struct engine *g,
					const struct flow *f,
					const struct tape_op *op,
					const struct tape_slot *s)
{
	return judge_lateness(g, (double)(s->send->start_ns - f->e->end_ns),
			      op->r->to, op->r->from, op->r->may_leave_early);
}

enum engine_verdict engine_judge_entry(const struct engine *g,
				       const struct flow *f,
				       const struct tape_request *r,
				       const struct tape_round *q, int i)
{
	double late = (double)(q->start_ns[i] - f->e->end_ns);

	if (late <= 0)
		return ENGINE_DEPENDS;
	return judge_lateness(g, late, f->rank, engine_member_rank(g, f, r, i),
			      r->may_leave_early);
}
