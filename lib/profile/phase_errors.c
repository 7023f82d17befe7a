/* How certain times of phases are; see phase_errors.h. */
#include <math.h>

#include "phase_errors.h"

static void set_ideal_bounds(struct tape_ideal_time *to,
			     const struct tape_ideal_time *from)
{
	to->least_ns = from->least_ns;
	to->most_ns = from->most_ns;
}

static void add_alphas(struct phase_clock *c, const struct stats *s,
		       const struct tape_event *e)
{
	struct tape_alpha_error a;

	tape_event_alpha_error(s->t, e, &a);
	if (tape_analysis_is_init(e))
		a.before_less = a.before_more = 0;
	if (e->call == TAPE_CALL_MPI_Finalize)
		a.after_less = a.after_more = 0;
	c->start.error.less = c->latest.error.less + a.before_less;
	c->start.error.more = c->latest.error.more + a.before_more;
	c->start.edge_ns = c->latest.edge_ns + a.before_less + a.before_more;
	c->end.error = c->start.error;
	c->end.edge_ns = 0;
	c->latest.error.less = c->end.error.less + a.after_less;
	c->latest.error.more = c->end.error.more + a.after_more;
	c->latest.edge_ns = a.after_less + a.after_more;
	/* the flow ends where MPI_Finalize starts */
	if (e->call == TAPE_CALL_MPI_Finalize)
		c->latest.edge_ns = c->start.edge_ns;
	if (e->class_ == TAPE_CLASS_LEAVE)
		c->start.edge_ns = 0;
}

/* A leave takes no time: it starts when it ends. */
static void set_intervals(struct phase_clock *c, const struct tape_event *e)
{
	struct stats_error now = {(double)e->earlier_ns, (double)e->later_ns};

	c->start.error = c->has_begun && e->class_ != TAPE_CLASS_LEAVE
			     ? c->latest.error
			     : now;
	c->end.error = now;
	if (e->call != TAPE_CALL_MPI_Finalize)
		c->latest.error = now;
}

void phase_clock_add_event(struct phase_clock *c, const struct stats *s,
			   const struct tape_found *f)
{
	const struct tape_event *e = f->item->event;

	set_ideal_bounds(&c->start.ideal, &f->ideal_begun);
	set_ideal_bounds(&c->end.ideal, &f->ideal);
	if (s->errors == STATS_OF_ALPHAS)
		add_alphas(c, s, e);
	else if (s->errors == STATS_OF_INTERVALS)
		set_intervals(c, e);
	c->has_begun = 1;
}

/* The bounds of the two ends do not depend on each other. */
struct tape_ideal_time phase_ideal_between(const struct phase_moment *from,
					   const struct phase_moment *to)
{
	return (struct tape_ideal_time){
	    .ns = to->ideal.ns - from->ideal.ns,
	    .least_ns = fmax(0, to->ideal.least_ns - from->ideal.most_ns),
	    .most_ns = to->ideal.most_ns - from->ideal.least_ns};
}

struct phase_errors phase_errors_between(int errors,
					 const struct phase_moment *from,
					 const struct phase_moment *to)
{
	struct phase_errors x = {.edges_ns = from->edge_ns + to->edge_ns};

	if (errors == STATS_OF_ALPHAS) {
		x.sum.less = to->error.less - from->error.less;
		x.sum.more = to->error.more - from->error.more;
	} else {
		x.sum.less = to->error.less + from->error.more;
		x.sum.more = to->error.more + from->error.less;
	}
	return x;
}

void phase_errors_add(struct phase_errors *to, const struct phase_errors *from)
{
	to->sum.less += from->sum.less;
	to->sum.more += from->sum.more;
	to->edges_ns += from->edges_ns;
}
