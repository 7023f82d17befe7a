/*
 * Quantile regression: the line that a share q of the points is not above.
 * Unlike means and least squares it does not move when points far above it
 * move farther: with q = 1/4 it stays within the undisturbed ones as long as
 * these are more than a quarter.
 *
 *	tape_quantile_line(point, n, 0.25, &ns, &rate);
 *
 * Nothing is allocated: what is needed beside a point's values is in it.
 */
#ifndef TAPE_MODEL_QUANTILE_H
#define TAPE_MODEL_QUANTILE_H

#include <stddef.h>

struct tape_quantile_point {
	double x, y, weight; /* weight > 0: counts as so many */
	double key, mass;    /* used while it is computed */
};

/* The q-quantile of n values, which it sorts, 0 <= q <= 1; between two in
 * proportion. NAN of none. */
double tape_quantile(double *v, size_t n, double q);

/*
 * The height of least weighted loss for a given rate: the least a for which
 * points of a share q of the weight are not above a + rate x. Changes the
 * order of the points. n > 0.
 */
double tape_quantile_height(struct tape_quantile_point *p, size_t n, double q,
			    double rate);

/*
 * The sum of weight rho(y - a - b x), with rho(e) = q e of positive e and
 * (q - 1) e of others; an e above most counts as that.
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
