/*
 * Quantile regression: the line such that a share q of the points is not above
 * it. Unlike least squares it does not depend on how far above it points are:
 * with q = 1/4 it is that of the undisturbed points if they are more than a
 * quarter.
 *
 *	tape_quantile_line(point, n, 0.25, &ns, &rate);
 *
 * Nothing is allocated: points contain the scratch fields.
 */
#ifndef TAPE_MODEL_QUANTILE_H
#define TAPE_MODEL_QUANTILE_H

#include <stddef.h>

struct tape_quantile_point {
	double x, y, weight; /* weight > 0: number of equal points */
	double key, mass;    /* scratch */
};

/* The q-quantile of n values, 0 <= q <= 1, interpolated; NAN without values.
 * Sorts v. */
double tape_quantile(double *v, size_t n, double q);

/*
 * The height of least weighted loss for a given rate: the least a such that a
 * share q of the weight is not above a + rate x. Reorders the points. n > 0.
 */
double tape_quantile_height(struct tape_quantile_point *p, size_t n, double q,
			    double rate);

/*
 * The sum of weight rho(y - a - b x), with rho(e) = q e of positive e and
 * (q - 1) e of others; e is limited to most.
 */
double tape_quantile_loss(const struct tape_quantile_point *p, size_t n,
			  double q, double a, double b, double most);

/*
 * Finds a and b so that that loss is least, most being infinite (Koenker and
 * Bassett, Econometrica 46, 1978, pp. 33-50). The optimum is exact: a line
 * through two of the points, found by the simplex method, of which each step
 * turns the line around one point to its best rate, a weighted quantile
 * (Barrodale and Roberts, SIAM J. Numerical Analysis 10, 1973, pp. 839-848;
 * Koenker and d'Orey, Applied Statistics 36, 1987, pp. 383-393). Changes the
 * order of the points. Of one x alone b is 0. n > 0, 0 < q < 1.
 */
void tape_quantile_line(struct tape_quantile_point *p, size_t n, double q,
			double *a, double *b);

#endif
