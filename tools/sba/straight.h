/* The first tracks of all clocks: straight lines, by what was sampled. */
#ifndef SBA_STRAIGHT_H
#define SBA_STRAIGHT_H

#include "clocks.h"

struct straight {
	const char *load; /* a file of coefficients, or NULL */
	double hours;	  /* its greatest age */
	double wander;	  /* s/s; < 0: not given */
};

/* What a clock may wander that is no straight line, s/s. */
double straight_free(const struct straight *x);

/*
 * Opens k and spans the readings of samples. Returns the age of the
 * coefficients that were used, s. Dies as coefficients_load does.
 */
double straight_open(struct clocks *k, const struct tape_trace *t,
		     const struct straight *x);

#endif
