/* The factors of POP; see efficiency.h. */
#include <math.h>

#include "efficiency.h"

/* By this share times may contradict each other. */
static const double tolerance = 1e-3;

const struct tape_efficiency tape_efficiency_unknown = {NAN, NAN, NAN, NAN,
							NAN, NAN, NAN};

/* part / whole, at most 1; NAN: it is larger, or not known. */
static double share_of(double part, double whole)
{
	double share = part / whole;

	return !(share <= 1 + tolerance) ? NAN : fmin(share, 1);
}

static double get_useful_mean(const struct tape_efficiency_times *t)
{
	return (t->is_shared ? t->useful_sum_ns : t->sum_ns) / (double)t->n;
}

static double get_useful_max(const struct tape_efficiency_times *t)
{
	return t->is_shared ? t->useful_max_ns : t->max_ns;
}

/* T_ideal is not below the longest computing time, nor above T. */
static double clamp_ideal(const struct tape_efficiency_times *t)
{
	return fmin(fmax(t->ideal_ns, t->max_ns), t->run_ns);
}

struct tape_efficiency
tape_efficiency_factors(const struct tape_efficiency_times *t)
{
	struct tape_efficiency e = tape_efficiency_unknown;
	double ideal = clamp_ideal(t);

	if (!t->n || !(t->max_ns > 0) || !(t->run_ns > 0))
		return e;
	e.load_balance = share_of(get_useful_mean(t), get_useful_max(t));
	if (t->threads_ns > 0)
		e.threads =
		    share_of(get_useful_mean(t) * (double)t->n, t->threads_ns);
	e.communication = share_of(t->max_ns, t->run_ns);
	e.parallel = e.load_balance * e.communication;
	if (t->is_shared) {
		e.processors = share_of(t->useful_max_ns, t->max_ns);
		e.parallel *= e.processors;
	}
	/* both or neither: their product is the communication efficiency */
	if (!isnan(share_of(t->max_ns, t->ideal_ns)) &&
	    !isnan(share_of(t->ideal_ns, t->run_ns)) &&
	    !isnan(e.communication)) {
		e.serialisation = share_of(t->max_ns, ideal);
		e.transfer = share_of(ideal, t->run_ns);
	}
	return e;
}

/* At most 1, which it is where the bounds are wide. */
static double bound_above(double part, double whole)
{
	return whole > 0 ? fmin(part / whole, 1) : 1;
}

void tape_efficiency_bounds(const struct tape_efficiency_times *least,
			    const struct tape_efficiency_times *most,
			    struct tape_efficiency *from,
			    struct tape_efficiency *to)
{
	*from = *to = tape_efficiency_unknown;
	if (!least->n || !(most->max_ns > 0) || !(most->run_ns > 0))
		return;
	from->load_balance =
	    bound_above(get_useful_mean(least), get_useful_max(most));
	to->load_balance =
	    bound_above(get_useful_mean(most), get_useful_max(least));
	from->communication = bound_above(least->max_ns, most->run_ns);
	to->communication = bound_above(most->max_ns, least->run_ns);
	from->parallel = bound_above(get_useful_mean(least), most->run_ns);
	to->parallel = bound_above(get_useful_mean(most), least->run_ns);
	if (least->is_shared) {
		from->processors =
		    bound_above(least->useful_max_ns, most->max_ns);
		to->processors =
		    bound_above(most->useful_max_ns, least->max_ns);
	}
	if (least->threads_ns > 0 && most->threads_ns > 0) {
		double n = (double)least->n;

		from->threads =
		    bound_above(get_useful_mean(least) * n, most->threads_ns);
		to->threads =
		    bound_above(get_useful_mean(most) * n, least->threads_ns);
	}
	if (isnan(least->ideal_ns) || isnan(most->ideal_ns))
		return;
	from->serialisation = bound_above(least->max_ns, clamp_ideal(most));
	to->serialisation = bound_above(most->max_ns, clamp_ideal(least));
	from->transfer = bound_above(clamp_ideal(least), most->run_ns);
	to->transfer = bound_above(clamp_ideal(most), least->run_ns);
}

struct tape_scaling
tape_efficiency_scaling(const struct tape_efficiency_times *reference,
			const struct tape_efficiency_times *run, int is_weak)
{
	struct tape_scaling s = {NAN, NAN, NAN};
	double more = (double)run->n / (double)reference->n;

	if (!run->n || !reference->n || !(run->run_ns > 0) ||
	    !(reference->run_ns > 0))
		return s;
	s.speed_up = reference->run_ns / run->run_ns * (is_weak ? more : 1);
	if (!(run->sum_ns > 0) || !(reference->sum_ns > 0))
		return s;
	s.computation =
	    reference->sum_ns / run->sum_ns * (is_weak ? more : 1);
	s.global = tape_efficiency_factors(run).parallel * s.computation;
	return s;
}
