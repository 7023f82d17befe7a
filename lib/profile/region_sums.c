/* Times of flows in regions; see region_sums.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "growing_array.h"
#include "phase_log.h"
#include "region_sums.h"
#include "tool.h"

/*
 * Where a flow stands: when, and how much of its time was not computing. As
 * measured, error is that of all alphas so far; without tracing that of ns.
 */
struct moment {
	int64_t ns;
	double other_ns; /* in calls, or tracing */
	struct tape_ideal_time ideal;
	struct stats_error error;
};

struct open_region {
	uint32_t place;
	int repeats; /* it is open already */
	struct moment begun;
};

struct region_stack {
	struct open_region *open;
	size_t n, room;
	int is_over; /* MPI_Finalize has begun */
};

struct stats_regions {
	struct stats *s;
	struct region_stack *flow;
};

struct stats_regions *stats_regions_new(struct stats *s)
{
	struct stats_regions *r = tape_must(calloc(1, sizeof *r));

	r->s = s;
	r->flow = tape_must(calloc(s->flows + 1, sizeof *r->flow));
	return r;
}

/* The error of the time or of the computing between two moments. */
static void add_error(const struct stats *s, const struct moment *from,
		      const struct moment *to, struct stats_error *sum)
{
	if (s->errors == STATS_OF_ALPHAS) {
		sum->less += to->error.less - from->error.less;
		sum->more += to->error.more - from->error.more;
	} else {
		sum->less += to->error.less + from->error.more;
		sum->more += to->error.more + from->error.less;
	}
}

static void end_innermost(struct stats_regions *r, size_t flow,
			  const struct moment *now)
{
	struct region_stack *k = &r->flow[flow];
	const struct open_region *o = &k->open[--k->n];
	double length = (double)(now->ns - o->begun.ns);
	struct stats_region *q;

	if (o->repeats)
		return;
	q = stats_get_record(&r->s->regions, o->place, (uint32_t)flow);
	q->visits++;
	q->length_ns += length;
	q->computing_ns +=
	    fmax(0, length - (now->other_ns - o->begun.other_ns));
	q->ideal.ns += now->ideal.ns - o->begun.ideal.ns;
	/* the bounds of the two ends do not depend on each other */
	q->ideal.least_ns +=
	    fmax(0, now->ideal.least_ns - o->begun.ideal.most_ns);
	q->ideal.most_ns += now->ideal.most_ns - o->begun.ideal.least_ns;
	add_error(r->s, &o->begun, now, &q->error);
}

/* The innermost of that place, and what is open within; none: nothing. */
static void leave_region(struct stats_regions *r, size_t flow, uint32_t place,
			 const struct moment *now)
{
	struct region_stack *k = &r->flow[flow];
	size_t i = k->n;

	while (i && k->open[i - 1].place != place)
		i--;
	while (i && k->n >= i)
		end_innermost(r, flow, now);
}

static void enter_region(struct stats_regions *r, size_t flow, uint32_t place,
			 const struct moment *now)
{
	struct region_stack *k = &r->flow[flow];
	struct open_region o = {place, 0, *now};

	for (size_t i = 0; i < k->n; i++)
		o.repeats |= k->open[i].place == place;
	k->open = tape_must(
	    tape_grow_array(k->open, &k->room, k->n + 1, sizeof *k->open));
	k->open[k->n++] = o;
}

/* What of the flow's time was not computing, but for the end of e. */
static double time_not_computing(const struct stats_regions *r,
				 const struct tape_event *e)
{
	const struct stats_flow *f = &r->s->flow[e->flow];

	return f->mpi_ns + f->tracing_ns - e->alpha_after_ns;
}

/* The run begins now: what was before is not part of it. */
static void begin_run(struct region_stack *k, const struct moment *now)
{
	for (size_t i = 0; i < k->n; i++)
		k->open[i].begun = *now;
}

static void end_all_regions(struct stats_regions *r, size_t flow,
			    const struct moment *now)
{
	while (r->flow[flow].n)
		end_innermost(r, flow, now);
}

/*
 * What is uncertain at the latest event of the flow, which is in the sums: of
 * alphas that after it does not count yet.
 */
static struct stats_error get_error_now(const struct stats *s, size_t flow)
{
	const struct stats_flow *f = &s->flow[flow];

	if (s->errors == STATS_OF_ALPHAS)
		return (struct stats_error){f->alpha.less - f->last.less,
					    f->alpha.more - f->last.more};
	return f->last;
}

void stats_regions_add_event(struct stats_regions *r,
			     const struct tape_found *f)
{
	const struct tape_event *e = f->item->event;
	struct region_stack *k = &r->flow[e->flow];
	struct stats_error error = get_error_now(r->s, e->flow);
	struct moment begun = {e->start_ns, 0, f->ideal_begun, error};
	struct moment now = {e->end_ns, 0, f->ideal, error};
	uint32_t place;

	if (k->is_over)
		return;
	if (e->class_ == TAPE_CLASS_ENTER || e->class_ == TAPE_CLASS_LEAVE) {
		place = tape_place_from_region(r->s->places, e->rank,
					       e->region);
		if (stats_is_control(r->s->places, place))
			return;
		now.other_ns = begun.other_ns = time_not_computing(r, e);
		if (e->class_ == TAPE_CLASS_ENTER)
			enter_region(r, e->flow, place, &now);
		else
			leave_region(r, e->flow, place, &begun);
	} else if (tape_analysis_is_init(e)) {
		now.other_ns = time_not_computing(r, e);
		begin_run(k, &now);
	} else if (e->call == TAPE_CALL_MPI_Finalize) {
		begun.other_ns = r->s->flow[e->flow].mpi_ns +
				 r->s->flow[e->flow].tracing_ns;
		end_all_regions(r, e->flow, &begun);
		k->is_over = 1;
	}
}

void stats_regions_close(struct stats_regions *r)
{
	for (size_t i = 0; i < r->s->flows; i++) {
		const struct stats_flow *f = &r->s->flow[i];
		struct moment end = {f->span.to_ns, f->mpi_ns + f->tracing_ns,
				     f->span.ideal_to, get_error_now(r->s, i)};

		end_all_regions(r, i, &end);
		free(r->flow[i].open);
	}
	free(r->flow);
	free(r);
}
