/* The first tracks of all clocks: straight lines by their samples. */
#ifndef SBA_LINEAR_FIT_H
#define SBA_LINEAR_FIT_H

#include "clocks.h"

struct linear_options {
	const char *load; /* a file of coefficients, or NULL */
	double hours;	  /* its greatest age */
	double wander;	  /* s/s; < 0: default */
};

/* The wander of a non-linear clock, s/s. */
double linear_fit_wander(const struct linear_options *x);

/*
 * Opens k and spans the readings of samples. Returns the age of the
 * coefficients that were used, s. Dies as coefficients_load does.
 */
double linear_fit_open(struct clocks *k, const struct tape_trace *t,
		       const struct linear_options *x);

#endif
