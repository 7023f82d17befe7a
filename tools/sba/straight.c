/* Straight lines at first; see straight.h. */
#include "coefficients.h"
#include "straight.h"

/* What a clock that runs freely may wander, unless -w says: 0.1 ppm. */
static const double free_wander = 1e-7;

double straight_free(const struct straight *x)
{
	return x->wander >= 0 ? x->wander : free_wander;
}

double straight_open(struct clocks *k, const struct tape_trace *t,
		     const struct straight *x)
{
	double age_s = 0;

	clocks_open(k, t);
	/* whether clocks are even is judged without */
	k->wander = x->wander >= 0 ? x->wander : x->load ? free_wander : 0;
	if (x->load)
		age_s = coefficients_load(k, x->load, x->hours * 3600);
	clocks_span(k);
	clocks_compose(k);
	clocks_span(k);
	clocks_compose(k);
	return age_s;
}
