/* Statistics; see stats.h for the sources. */
#include <math.h>

#include "stats.h"

double tape_stats_durbin_watson(const double *r, size_t n)
{
	double steps = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		squares += r[i] * r[i];
		if (i)
			steps += (r[i] - r[i - 1]) * (r[i] - r[i - 1]);
	}
	return n > 1 && squares > 0 ? steps / squares : 2;
}

double tape_stats_effective(double dw, double n)
{
	/* (1 - rho) / (1 + rho) with rho = 1 - dw / 2 */
	double share = dw < 4 ? dw / (4 - dw) : 1;

	return fmax(1, n * fmin(share, 1));
}
