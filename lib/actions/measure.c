/*
 * Measures computations: by a counter of operations, by processor time, or by
 * elapsed time; see action_convert.h. The tracer's own part is subtracted as
 * far as it is known (tape_counter_info.own, alphas).
 */
#include <stdio.h>
#include <string.h>

#include "action_convert.h"

/* ---- choice of the measure ---- */

/* PAPI's counters of operations, in the order of preference. */
static const char *const operations[][TAPE_MEASURE_COUNTERS] = {
    {"PAPI_DP_OPS", "PAPI_SP_OPS"}, {"PAPI_DP_OPS", NULL},
    {"PAPI_FP_OPS", NULL},	    {"PAPI_SP_OPS", NULL},
    {"PAPI_FP_INS", NULL},
};

static int find_counter(const struct tape_rank_info *r, const char *name,
			uint32_t *index)
{
	for (uint32_t i = 0; i < r->n_counters; i++)
		if (!strcmp(r->counters[i].name, name) &&
		    !r->counters[i].at_regions) {
			*index = i;
			return 1;
		}
	return 0;
}

/* Returns the first rank without one of the counters, or -1. */
static int find_rank_without(const struct tape_action_trace *s,
			     const char *const *names)
{
	uint32_t unused;

	for (size_t r = 0; r < s->s.ranks; r++)
		for (int i = 0; i < TAPE_MEASURE_COUNTERS && names[i]; i++)
			if (!find_counter(tape_trace_rank(s->t, (int)r),
					  names[i], &unused))
				return (int)r;
	return -1;
}

static void set_counters(struct tape_action_trace *s, const char *const *names)
{
	for (size_t i = 0; i < s->s.ranks; i++) {
		struct tape_action_rank *r = &s->ranks[i];
		struct tape_action_measure *m = &r->measure;

		while (m->n < TAPE_MEASURE_COUNTERS && names[m->n] &&
		       find_counter(r->info, names[m->n], &m->counter[m->n]))
			m->n++;
		m->in_ns = !strcmp(r->info->counters[m->counter[0]].unit, "ns");
	}
	snprintf(s->measure, sizeof s->measure, "%s%s%s", names[0],
		 names[1] ? "+" : "", names[1] ? names[1] : "");
}

int tape_action_choose_measure(struct tape_action_trace *s, const char *name)
{
	const char *names[TAPE_MEASURE_COUNTERS] = {"cpu", NULL};
	size_t n = sizeof operations / sizeof *operations;
	int rank;

	strcpy(s->measure, "time");
	s->s.measure = s->measure;
	if (name && !strcmp(name, "time"))
		return 0;
	if (name) {
		names[0] = name;
		rank = find_rank_without(s, names);
		if (rank >= 0)
			return tape_actions_fail(
			    &s->s, TAPE_ERANGE,
			    "%s: rank %d has no counter %s at its calls",
			    tape_trace_path(s->t), rank, name);
		set_counters(s, names);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		if (find_rank_without(s, operations[i]) < 0) {
			set_counters(s, operations[i]);
			return 0;
		}
	if (find_rank_without(s, names) < 0)
		set_counters(s, names);
	return 0;
}

/* ---- amounts ---- */

static double clamp_positive(double v)
{
	return v > 0 ? v : 0;
}

/* Time since the last event without the tracer's time, ns. */
static double between_ns(const struct tape_action_rank *r,
			 const struct tape_event *e)
{
	if (r->event <= 1)
		return 0;
	return clamp_positive((double)(e->start_ns - r->end_ns) - r->alpha_ns -
			      tape_event_alpha_before(e));
}

static double counted_before(const struct tape_action_rank *r,
			     const struct tape_event *e)
{
	const struct tape_action_measure *m = &r->measure;
	double sum = 0;

	for (int i = 0; i < m->n; i++)
		if (m->counter[i] < e->n_counts)
			sum += (double)e->counts[m->counter[i]].before;
	return sum;
}

static double counted_inside(const struct tape_action_rank *r,
			     const struct tape_event *e)
{
	const struct tape_action_measure *m = &r->measure;
	double sum = 0;

	for (int i = 0; i < m->n; i++) {
		uint32_t k = m->counter[i];

		if (k < e->n_counts)
			sum +=
			    (double)e->counts[k].inside -
			    (double)r->info->counters[k].own * (double)e->polls;
	}
	return clamp_positive(sum);
}

/*
 * Processor time between calls contains the tracer's time. For merged calls it
 * also contains the time between them, which is polling. In a corrected trace
 * the tracer's part is not known any more. In both cases the elapsed time is an
 * upper bound.
 */
double tape_action_measure_gap(const struct tape_action_rank *r,
			       const struct tape_event *e)
{
	double rate = r->of->rate_ns, ns, passed, before, after;

	if (!r->measure.n)
		return between_ns(r, e) * rate;
	if (!r->measure.in_ns)
		return clamp_positive(counted_before(r, e));
	tape_event_constants(r->of->t, e, &before, &after);
	ns = clamp_positive(counted_before(r, e) - r->constant_ns - before);
	passed = between_ns(r, e);
	if (passed < ns && (e->polls > 1 ||
			    tape_trace_base(r->of->t) == TAPE_BASE_COMPENSATED))
		ns = passed;
	return ns * rate;
}

double tape_action_measure_inside(const struct tape_action_rank *r,
				  const struct tape_event *e)
{
	if (!r->measure.n)
		return clamp_positive((double)e->inside_ns) * r->of->rate_ns;
	return counted_inside(r, e) * (r->measure.in_ns ? r->of->rate_ns : 1);
}

/* Packing counts as time, not as operations of the program. */
double tape_action_measure_packing(const struct tape_action_rank *r,
				   const struct tape_event *e, double *between)
{
	double inside = clamp_positive((double)e->inside_ns);

	*between = 0;
	if (!r->measure.n)
		*between = clamp_positive((double)(e->end_ns - e->start_ns) -
					  inside - tape_event_alpha_within(e)) *
			   r->of->rate_ns;
	if (r->measure.in_ns)
		inside = counted_inside(r, e);
	return inside * r->of->rate_ns;
}
