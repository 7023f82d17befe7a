/* What the messages of each size tell of the transit; see comm_learner.h. */
#include <math.h>
#include <string.h>

#include "comm_learner.h"
#include "quantile.h"

/*
 * How much a time y that n messages tell errs: nothing else being known, as
 * much as one of n that scatter by as much as they are long. Where they agree
 * with each other it is by as much as they do not; but a few that happened one
 * after the other agree by what they have in common, too. So no less than a
 * sixth.
 */
static double error_of(double n, double y, double apart)
{
	double least = fmax(y, 1);

	return fmin(least / sqrt(n), fmax(apart, least / 6));
}

static double inverse_square(double e)
{
	return 1 / (e * e);
}

/*
 * Of the quartile of n values: sqrt(q (1 - q) / n) over their density there, by
 * the quantiles on both sides (Siddiqui, J. Research of the National Bureau of
 * Standards 64B, 1960). None of these is high: a few long ones among large
 * messages cannot bend the line, for these weigh less. Sorts v.
 */
static double quartile_error(double *v, size_t n, double seen)
{
	static const double q = TAPE_COMM_QUICK, beside = 0.15;
	double apart = tape_quantile(v, n, q + beside) -
		       tape_quantile(v, n, q - beside);

	return sqrt(q * (1 - q) / seen) * apart / (2 * beside);
}

/*
 * What of the time of a message that was waited for is DC. Who waits has warm
 * caches: the quick tenth of the others counts. And it is no more than half of
 * the least time that a message of the class ever took: it is the second copy,
 * and the transit has the first one in it. Without that bound a DC seen on a
 * busy machine would leave nothing for the transit.
 */
static double quick_dc(const struct tape_sampler *dc, double least)
{
	double quick = tape_sampler_quantile(dc, 0.1);

	return isnan(quick) ? 0 : fmin(quick, least / 2);
}

/*
 * Where none of a class was alone the quickest of those that were not: it may
 * have waited for others, but no other says as much. It errs by about what the
 * next one took longer (the spacings of an exponential's least values; Renyi
 * 1953).
 */
static int point_from_fastest(const struct tape_comm_learner *l, int d, int c,
			      struct tape_comm_points *p)
{
	const struct together *t = &l->together[d][c];

	if (!t->n)
		return 0;
	p->bytes[c] = t->bytes;
	p->seen[c] = (double)t->n;
	p->dc_ns[c] = quick_dc(tape_comm_dc_sample(l, d, c), t->ns);
	p->ns[c] = t->ns - p->dc_ns[c];
	p->weight[c] = inverse_square(error_of((double)t->n, t->ns,
					       t->second_ns - t->ns));
	return 1;
}

static int point_from_sample(const struct tape_comm_learner *l, int d,
			     int protocol, int c, struct tape_comm_points *p)
{
	struct tape_comm_sample s;
	double apart;

	tape_comm_sample(l, d, protocol, c, &s);
	if (!s.n)
		return !protocol && point_from_fastest(l, d, c, p);
	p->bytes[c] = tape_quantile(s.bytes, s.n, 0.5);
	p->ns[c] = tape_quantile(s.ns, s.n, TAPE_COMM_QUICK);
	if (!protocol)
		p->dc_ns[c] = quick_dc(tape_comm_dc_sample(l, d, c), s.ns[0]);
	p->ns[c] -= p->dc_ns[c];
	p->seen[c] = s.seen;
	p->kept[c] = (uint32_t)s.n;
	apart = s.seen > 2 ? quartile_error(s.ns, s.n, s.seen) : INFINITY;
	p->weight[c] = inverse_square(error_of(s.seen, p->ns[c], apart));
	return 1;
}

int tape_comm_points(const struct tape_comm_learner *l, int d, int protocol,
		     struct tape_comm_points *p)
{
	int n = 0;

	memset(p, 0, sizeof *p);
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		n += point_from_sample(l, d, protocol, c, p);
	return n;
}

/* Of a class so many messages are enough for the line of all. */
enum { EACH = 64 };

/* Adds those of class c, which weigh as much as its point; returns how many. */
static size_t add_class_points(const struct tape_comm_learner *l, int d,
			       int protocol, int c,
			       const struct tape_comm_points *p,
			       struct tape_quantile_point *to)
{
	double error = 1 / sqrt(p->weight[c]);
	struct tape_comm_sample s;
	size_t step, n = 0;

	if (!p->kept[c]) {
		*to = (struct tape_quantile_point){ .x = p->bytes[c],
						    .y = p->ns[c],
						    .weight = 1 / error };
		return 1;
	}
	tape_comm_sample(l, d, protocol, c, &s);
	step = (s.n + EACH - 1) / EACH;
	for (size_t i = 0; i < s.n; i += step)
		to[n++] = (struct tape_quantile_point){
			.x = s.bytes[i], .y = s.ns[i] - p->dc_ns[c] };
	/* the error of a quantile is that of one value over the root of n */
	for (size_t i = 0; i < n; i++)
		to[i].weight = sqrt(s.seen) / error / (double)n;
	return n;
}

/* Those of all classes; returns how many. */
static size_t add_all_points(const struct tape_comm_learner *l, int d,
			     int protocol, const struct tape_comm_points *p,
			     struct tape_quantile_point *to)
{
	size_t n = 0;

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		if (p->weight[c] > 0)
			n += add_class_points(l, d, protocol, c, p, to + n);
	return n;
}

double tape_comm_points_rate(const struct tape_comm_learner *l, int d,
			     int protocol, const struct tape_comm_points *p)
{
	struct tape_quantile_point all[TAPE_SIZE_CLASSES * EACH];
	size_t n = add_all_points(l, d, protocol, p, all), same = 0;
	double ns, rate;

	for (size_t i = 0; i < n; i++)
		same += all[i].x == all[0].x;
	if (same == n)
		return NAN;
	tape_quantile_line(all, n, TAPE_COMM_QUICK, &ns, &rate);
	return rate;
}

double tape_comm_points_height(const struct tape_comm_learner *l, int d,
			       int protocol, const struct tape_comm_points *p,
			       double rate)
{
	struct tape_quantile_point all[TAPE_SIZE_CLASSES * EACH];
	size_t n = add_all_points(l, d, protocol, p, all);

	return tape_quantile_height(all, n, TAPE_COMM_QUICK, rate);
}
