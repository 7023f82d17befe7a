/* The first straight tracks; see linear_fit.h. */
#include "coefficients.h"
#include "linear_fit.h"

/* The default wander of a free-running clock, 0.1 ppm. */
static const double free_wander = 1e-7;

double linear_fit_wander(const struct linear_options *x)
{
	return x->wander >= 0 ? x->wander : free_wander;
}

double linear_fit_open(struct clocks *k, const struct tape_trace *t,
		       const struct linear_options *x)
{
	double age_s = 0;

	clocks_open(k, t);
	/* linear clocks are tested without wander */
	k->wander = x->wander >= 0 ? x->wander : x->load ? free_wander : 0;
	if (x->load)
		age_s = coefficients_load(k, x->load, x->hours * 3600);
	clocks_span(k);
	clocks_compose(k);
	clocks_span(k);
	clocks_compose(k);
	return age_s;
}
