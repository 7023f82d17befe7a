/* How far sums may be from the true values; see errors.h. */
#include <math.h>

#include "errors.h"

/* Does it take the same time whatever other flows do? */
static int is_independent(const struct tape_event *e)
{
	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_PACK:
	case TAPE_CLASS_REQ:
	case TAPE_CLASS_GREQUEST:
		return 1;
	case TAPE_CLASS_LOCAL:
		return e->call != TAPE_CALL_MPI_Finalize;
	default:
		return 0;
	}
}

/* In steps of a picosecond, about: sums over flows are then exact, and the
 * same in any order. */
static double round_to_1024th(double ns)
{
	return rint(ns * 1024) / 1024;
}

static void add_alpha_error(struct stats *s, const struct tape_event *e,
			    struct stats_place *p)
{
	struct stats_flow *f = &s->flow[e->flow];
	struct tape_alpha_error a;

	tape_event_alpha_error(s->t, e, &a);
	if (tape_analysis_is_init(e))
		a.before_less = a.before_more = 0;
	/* when the flow begins is uncertain by the alpha before that */
	if (f->events <= 1 && !(f->start.less + f->start.more > 0))
		f->start = (struct stats_error){ a.before_more, a.before_less };
	if (e->call == TAPE_CALL_MPI_Finalize)
		a.after_less = a.after_more = 0;
	f->alpha.less += a.before_less + a.after_less;
	f->alpha.more += a.before_more + a.after_more;
	/* what is uncertain of when this one began: f->last has what is
	 * after the event before */
	if (p && !is_independent(e)) {
		p->alpha.less += round_to_1024th(f->last.less + a.before_less);
		p->alpha.more += round_to_1024th(f->last.more + a.before_more);
	}
	f->last = (struct stats_error){ a.after_less, a.after_more };
}

static void add_interval_error(struct stats *s, const struct tape_event *e,
			       struct stats_place *p)
{
	struct stats_flow *f = &s->flow[e->flow];
	double length = (double)(e->end_ns - e->start_ns);
	/* of a run, only what is inside counts */
	double between = length - (double)e->inside_ns;
	struct stats_error now = { (double)e->earlier_ns,
				   (double)e->later_ns };

	if (p && is_independent(e)) {
		p->least_ns += (double)e->inside_ns;
		p->most_ns += (double)e->inside_ns;
	} else if (p) {
		p->least_ns += fmax(0, length - between - now.less -
					       f->last.more);
		p->most_ns += length - between + now.more + f->last.less;
	}
	f->last = now;
}

void stats_error_event(struct stats *s, const struct tape_event *e,
		       struct stats_place *place)
{
	if (s->errors == STATS_OF_ALPHAS)
		add_alpha_error(s, e, place);
	else if (s->errors == STATS_OF_INTERVALS &&
		 e->call != TAPE_CALL_MPI_Finalize)
		add_interval_error(s, e, place);
}

void stats_error_start(struct stats *s, const struct tape_event *e)
{
	s->flow[e->flow].start = (struct stats_error){ (double)e->earlier_ns,
						       (double)e->later_ns };
}
