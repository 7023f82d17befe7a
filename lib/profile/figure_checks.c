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
	return isnan(factor) || isnan(from) || isnan(to) ||
	       (from - factor_slack <= factor && factor <= to + factor_slack);
}

static int is_share(double factor)
{
	return is_factor_within(factor, 0, 1);
}

int figure_factors_hold(const struct tape_efficiency *e,
			const struct tape_efficiency *from,
			const struct tape_efficiency *to)
{
	int are_shares = is_share(e->parallel) && is_share(e->load_balance) &&
			 is_share(e->processors) && is_share(e->threads) &&
			 is_share(e->communication) &&
			 is_share(e->serialisation) && is_share(e->transfer);

	if (!from || !are_shares)
		return are_shares;
	return is_factor_within(e->parallel, from->parallel, to->parallel) &&
	       is_factor_within(e->load_balance, from->load_balance,
				to->load_balance) &&
	       is_factor_within(e->processors, from->processors,
				to->processors) &&
	       is_factor_within(e->threads, from->threads, to->threads) &&
	       is_factor_within(e->communication, from->communication,
				to->communication) &&
	       is_factor_within(e->serialisation, from->serialisation,
				to->serialisation) &&
	       is_factor_within(e->transfer, from->transfer, to->transfer);
}

void figure_error_text(const char *what, char *text, size_t size)
{
	snprintf(text, size,
		 "Internal error: %s. Please report it, with the trace", what);
}
