/*
 * How fast a clock may leave a curve undetected: the rates of the waves that
 * the bounds allow. Tape's own: doc/clocks-run.md, "Assumptions of the
 * guarantee".
 */
#ifndef TAPE_MODEL_UNDETECTED_RATE_H
#define TAPE_MODEL_UNDETECTED_RATE_H

#include "corridor.h"

/*
 * Finds the largest rate (ns/ns) at which a clock may leave the corridor's
 * curve and still meet all bounds of the corridor. The clock is assumed to add
 * a line and one wave of one to six half periods to the curve. A further bound
 * never increases the rate by more than 2%, the tolerance of the search. The
 * rate is at most most. Returns 0 or TAPE_ENOMEM; rate is then unchanged.
 */
int tape_undetected_rate(const struct tape_corridor_bounds *s,
			 const struct tape_corridor *curve, double most,
			 double *rate);

#endif
