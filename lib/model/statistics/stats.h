/*
 * Statistics that GSL lacks, of arrays of the caller.
 */
#ifndef TAPE_MODEL_STATS_H
#define TAPE_MODEL_STATS_H

#include <stddef.h>

/*
 * The statistic of Durbin and Watson of n residuals in order of time
 * (Biometrika 37, 1950): 2 if neighbours are uncorrelated, less if they are
 * alike, more if they alternate. Also 2 for fewer than two residuals, or if all
 * are 0.
 */
double tape_stats_durbin_watson(const double *residual, size_t n);

/*
 * The effective number of independent values of n values with statistic dw: n
 * (1 - rho) / (1 + rho), rho = 1 - dw / 2 (Bayley and Hammersley, J. Royal
 * Statistical Society 8, 1946, for a first-order autoregression). At least 1,
 * at most n.
 */
double tape_stats_effective(double dw, double n);

#endif
