/*
 * Statistics that GSL does not have, of arrays of the caller's.
 */
#ifndef TAPE_MODEL_STATS_H
#define TAPE_MODEL_STATS_H

#include <stddef.h>

/*
 * The statistic of Durbin and Watson of n residuals in order of time
 * (Biometrika 37, 1950): 2 where neighbours owe nothing to each other, less
 * where they are alike, more where they alternate. 2, too, where there are
 * fewer than two or all are 0.
 */
double tape_stats_durbin_watson(const double *residual, size_t n);

/*
 * How many independent values tell as much about their mean as n values of that
 * statistic do: n (1 - rho) / (1 + rho) (Bayley and Hammersley, J. Royal
 * Statistical Society 8, 1946, for a first-order autoregression), rho being
 * 1 - dw / 2. At least 1, at most n.
 */
double tape_stats_effective(double dw, double n);

#endif
