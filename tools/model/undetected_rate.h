/*
 * How far a clock may leave a straight line unseen: the rates of the waves that
 * bounds do not refute.
 */
#ifndef TAPE_MODEL_UNDETECTED_RATE_H
#define TAPE_MODEL_UNDETECTED_RATE_H

#include "corridor.h"

/*
 * A corridor and the bounds that it was fitted to: the largest rate (ns/ns) by
 * which a clock that meets these bounds may leave the corridor's curve. The
 * clock is supposed to add a line and one wave to that curve, of one to six
 * half periods. A further bound makes the rate smaller, or leaves it, but for
 * 2% that the search leaves open. The rate is most at most. Returns 0 or
 * TAPE_ENOMEM; rate is then untouched.
 */
int tape_undetected_rate(const struct tape_corridor_bounds *s,
			 const struct tape_corridor *curve, double most,
			 double *rate);

#endif
