/* Whether figures can be true; see figure_checks.h. */
#include <math.h>
#include <stdio.h>

#include "figure_checks.h"

/* Rounding of a factor. */
static const double factor_slack = 1e-6;

int figure_is_within(double value, double from, double to)
{
	double slack = fmax(1, 1e-9 * fabs(value));

	return from - slack <= value && value <= to + slack;
}

/* NAN is not known, and cannot be wrong. */
static int is_factor_within(double factor, double from, double to)
{
	return isnan(factor) || (from - factor_slack <= factor &&
				 factor <= to + factor_slack);
}

int figure_factors_hold(const struct tape_efficiency *e,
			const struct tape_efficiency *from,
			const struct tape_efficiency *to)
{
	return is_factor_within(e->parallel, 0, 1) &&
	       is_factor_within(e->load_balance, 0, 1) &&
	       is_factor_within(e->communication, 0, 1) &&
	       is_factor_within(e->serialisation, 0, 1) &&
	       is_factor_within(e->transfer, 0, 1) &&
	       (!from || (is_factor_within(e->parallel, from->parallel,
					   to->parallel) &&
			  is_factor_within(e->load_balance, from->load_balance,
					   to->load_balance) &&
			  is_factor_within(e->communication,
					   from->communication,
					   to->communication)));
}

void figure_error_text(const char *what, char *text, size_t size)
{
	snprintf(text, size,
		 "Internal error: %s. Please report it, with the trace", what);
}
