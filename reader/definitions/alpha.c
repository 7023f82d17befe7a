/* How wrong the alphas of an event may be; see tape_reader.h. */
#include <math.h>
#include <stdlib.h>

#include "trace.h"

static inline void add_error(double less, double more, double before,
			     double after, struct tape_alpha_error *x)
{
	double sum = before + after, share = sum > 0 ? before / sum : 0;

	x->before_less += less * share;
	x->before_more += more * share;
	x->after_less += less - less * share;
	x->after_more += more - more * share;
}

/* Errors of the constants; returns the ticks before its calls. */
static double add_constant_errors(const struct tape_rank *r,
				  const struct tape_event *e,
				  struct tape_alpha_error *x)
{
	double n = (double)e->polls + (double)e->also_polls;
	unsigned c = e->class_;

	if (tape_event_failed(c, &e->u)) {
		add_error(n * r->poll_less, n * r->poll_more, r->poll_before,
		    r->poll_after, x);
		return n * r->poll_before;
	}
	add_error(n * r->info.alpha_less[c], n * r->info.alpha_more[c],
	    r->info.alpha_before[c], r->info.alpha_after[c], x);
	if (tape_event_saw_message(e))
		add_error(r->there[tape_arrival_index(c)].less,
			  r->there[tape_arrival_index(c)].more, 0,
			  r->there[tape_arrival_index(c)].usual, x);
	return n * r->info.alpha_before[c];
}

/* What was measured is known to one reading of the clock. */
static void add_readings(const struct tape_rank *r, const struct tape_event *e,
			 struct tape_alpha_error *x)
{
	if (e->extra_before_ticks) {
		x->before_less += r->reading;
		x->before_more += r->reading;
	}
	if (e->extra_after_ticks) {
		x->after_less += r->reading;
		x->after_more += r->reading;
	}
}

/* Nothing costs less than nothing. */
static void convert_to_ns(const struct tape_alpha_error *ticks, double tick_ns,
			  const struct tape_event *e,
			  struct tape_alpha_error *ns)
{
	ns->before_less = fmin(ticks->before_less * tick_ns,
			       e->alpha_before_ns);
	ns->before_more = ticks->before_more * tick_ns;
	ns->after_less = fmin(ticks->after_less * tick_ns, e->alpha_after_ns);
	ns->after_more = ticks->after_more * tick_ns;
}

/* Error of one call, of which only asking for a message was measured. */
static inline int is_single_call(const struct tape_event *e)
{
	return e->polls == 1 && !e->also_polls && e->n_done < 2 &&
	       !(e->extra_before_ticks | e->extra_after_ticks) &&
	       !tape_event_failed(e->class_, &e->u);
}

static void set_sum_error(const struct tape_rank *r, double tick_ns,
			  const struct tape_event *e,
			  struct tape_alpha_error *error)
{
	struct tape_alpha_error x = { 0 };
	double before = add_constant_errors(r, e, &x);
	double asked = e->alpha_before_ns / tick_ns - before -
		       (double)e->extra_before_ticks;

	/* less is a rounding error */
	if (asked > 1) {
		x.before_less += asked;
		x.before_more += r->reading;
	}
	add_readings(r, e, &x);
	if (e->n_done > 1) {
		x.after_less += (e->n_done - 1) * r->done_less;
		x.after_more += (e->n_done - 1) * r->done_more;
	}
	convert_to_ns(&x, tick_ns, e, error);
}

int tape_trace_cost_there(struct tape_trace *t, int rank, uint32_t region,
			  uint32_t site, const struct tape_cost_there *c)
{
	struct tape_cost_there **costs;
	struct tape_rank *r;
	size_t n;

	if (rank < 0 || (size_t)rank >= t->n_ranks ||
	    !(c->before >= 0 && c->after >= 0 && c->less >= 0 &&
	      c->more >= 0 && c->before + c->after + c->more < 1e12f))
		return TAPE_ERANGE;
	r = &t->ranks[rank];
	costs = region ? &r->region_costs : &r->site_costs;
	n = region ? r->info.n_regions : r->info.n_sites;
	if ((region ? region : site) >= n)
		return TAPE_ERANGE;
	if (!*costs)
		*costs = calloc(n, sizeof **costs);
	if (!*costs)
		return TAPE_ENOMEM;
	(*costs)[region ? region : site] = *c;
	return 0;
}

void tape_trace_skip_there(struct tape_trace *t, int rank, double ticks,
			   double error)
{
	struct tape_rank *r = &t->ranks[rank];

	r->skip_known = ticks >= 0 && ticks < 1e9 && error >= 0 && error < 1e9;
	r->skip_there = ticks;
	r->skip_error = error;
}

void tape_trace_skipping(const struct tape_trace *t, int rank, int local,
			 double *ticks, double *less, double *more)
{
	const struct tape_rank *r = &t->ranks[rank];

	*ticks = r->skip[local].usual;
	*less = r->skip[local].less;
	*more = r->skip[local].more;
}

/* What is known of the place of the event, or NULL. */
static const struct tape_cost_there *find_place_cost(const struct tape_rank *r,
						     const struct tape_event *e)
{
	const struct tape_cost_there *c =
		e->region  ? r->region_costs ? &r->region_costs[e->region]
					     : NULL
		: e->site && r->site_costs ? &r->site_costs[e->site]
					   : NULL;

	return c && c->known ? c : NULL;
}

/* Of an event whose cost is known where it stands. */
static void set_place_error(const struct tape_cost_there *c,
			    const struct tape_rank *r, double tick_ns,
			    const struct tape_event *e,
			    struct tape_alpha_error *error)
{
	struct tape_alpha_error x = { 0 };

	add_error(c->less, c->more, c->before, c->after, &x);
	add_readings(r, e, &x);
	convert_to_ns(&x, tick_ns, e, error);
}

/* Of what was skipped. */
static void set_block_error(const struct tape_rank *r, double tick_ns,
			    const struct tape_event *e,
			    struct tape_alpha_error *error)
{
	double n = (double)e->u.block.events * tick_ns;
	int local = e->u.block.site != 0;

	*error = (struct tape_alpha_error){ 0 };
	if (e->u.block.kind == TAPE_BLOCK_KEPT)
		return;
	if (r->skip_known && !local) {
		error->before_less = fmin(n * r->skip_error,
					  e->alpha_before_ns);
		error->before_more = n * r->skip_error;
		return;
	}
	/* half of what it takes by itself is usual */
	error->before_less = e->alpha_before_ns;
	error->before_more = n * (r->skip[local].usual / 2 +
				  r->skip[local].more);
}

void tape_event_alpha_error(const struct tape_trace *t,
			    const struct tape_event *e,
			    struct tape_alpha_error *error)
{
	const struct tape_rank *r = &t->ranks[e->rank];
	double tick_ns = t->domains[r->info.domain].local_rate, asked;
	const struct tape_cost_there *c;

	if (!r->info.alpha_bounded || e->class_ == TAPE_CLASS_COUNTED) {
		*error = (struct tape_alpha_error){ 0 };
		return;
	}
	if (e->class_ == TAPE_CLASS_BLOCK) {
		set_block_error(r, tick_ns, e, error);
		return;
	}
	if ((c = find_place_cost(r, e)) != NULL) {
		set_place_error(c, r, tick_ns, e, error);
		return;
	}
	if (!is_single_call(e)) {
		set_sum_error(r, tick_ns, e, error);
		return;
	}
	*error = (struct tape_alpha_error){ 0 };
	add_error(r->info.alpha_less[e->class_] * tick_ns,
	    r->info.alpha_more[e->class_] * tick_ns,
	    r->info.alpha_before[e->class_], r->info.alpha_after[e->class_],
	    error);
	asked = e->alpha_before_ns - r->info.alpha_before[e->class_] * tick_ns;
	if (asked > tick_ns) {
		error->before_less += asked;
		error->before_more += r->reading * tick_ns;
	}
}

void tape_event_constants(const struct tape_trace *t,
			  const struct tape_event *e, double *before_ns,
			  double *after_ns)
{
	double tick_ns =
	    tape_trace_tick_ns(t, tape_trace_rank(t, e->rank)->domain);

	*before_ns = fmax(0, tape_event_alpha_before(e) -
				 (double)e->extra_before_ticks * tick_ns);
	*after_ns = fmax(0, tape_event_alpha_after(e) -
				(double)e->extra_after_ticks * tick_ns);
}
