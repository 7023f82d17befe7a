/*
 * The transit of each class of sizes, with its error; see comm_learner.h. The
 * rules are Tape's own: doc/perturbation.md, "The communication model".
 */
#include <math.h>
#include <string.h>

#include "comm_learner.h"
#include "quantile.h"

/*
 * The error of a time y from n messages: at most y / sqrt(n), as if each
 * scatters by y. Otherwise it is their scatter, apart, but at least y / 6: a
 * few messages in a row share an error.
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
 * The error of the quartile of n values: sqrt(q (1 - q) / n) over their density
 * there, by the quantiles on both sides (Siddiqui, J. Research of the National
 * Bureau of Standards 64B, 1960). High quantiles are not used: a few slow
 * messages do not change the weight. Sorts v.
 */
static double quartile_error(double *v, size_t n, double seen)
{
	static const double q = TAPE_COMM_QUICK, beside = 0.15;
	double apart = tape_quantile(v, n, q + beside) -
		       tape_quantile(v, n, q - beside);

	return sqrt(q * (1 - q) / seen) * apart / (2 * beside);
}

/*
 * The part of the time of a message that was waited for that is DC. A waiting
 * receiver has warm caches, so the fastest tenth of observed DC is used. It is
 * at most half of the least time of the class: DC is the second copy of the
 * message, and the transit contains the first. Without that limit, DC of a busy
 * machine would exceed the transit.
 */
static double quick_dc(const struct tape_sampler *dc, double least)
{
	double quick = tape_sampler_quantile(dc, 0.1);

	return isnan(quick) ? 0 : fmin(quick, least / 2);
}

/*
 * The point of a class without isolated messages: its fastest message, which
 * may have waited for others. Its error is about the difference to the
 * second fastest (spacings of the least values of an exponential; Renyi 1953).
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

/* Messages of a class that are enough for the line of all classes. */
enum { EACH = 64 };

/* Adds messages of class c with the weight of its point; their number. */
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

/* Adds the messages of all classes; their number. */
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
