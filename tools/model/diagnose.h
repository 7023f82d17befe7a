/*
 * What kind of clock it was: even, oscillating with the temperature, steered by
 * NTP or PTP, set, stopped. From its track.
 */
#ifndef TAPE_MODEL_DIAGNOSE_H
#define TAPE_MODEL_DIAGNOSE_H

#include "clock_track.h"

enum tape_clock_shape {
	TAPE_CLOCK_EVEN,       /* nothing speaks against a straight line */
	TAPE_CLOCK_BENT,       /* its rate changed slowly: temperature */
	TAPE_CLOCK_OSCILLATES, /* amplitude_ns, period_ns */
	TAPE_CLOCK_SLEWED,     /* by slew from when_ns to until_ns */
	TAPE_CLOCK_SAWTOOTH,   /* steps of step_ns every period_ns */
	TAPE_CLOCK_STEPPED     /* by step_ns between when_ns and until_ns */
};

/*
 * A host that stood still while its clock did, too, gives a step backwards, of
 * any size; from the track alone it is not told from a clock that was set. NTP
 * sets a clock by more than 0.128 s only, and slews it otherwise, by 500 ppm at
 * most; the suspended time that a kernel counts tells for certain.
 *
 * A slew is told from a step by bounds that lie half way: one between two
 * messages is a step as far as anybody can see.
 */

struct tape_clock_diagnosis {
	enum tape_clock_shape shape;
	/* Durbin and Watson (3.3.2) of the residuals of a straight line and
	 * of the oscillation, at 256 dates: 2 where no correlation is left. A
	 * track is smooth, so both are small; the larger fits better. */
	double dw_line, dw_sine;
	/* residuals of both, standard deviation */
	double resid_line_ns, resid_sine_ns;
	/* alpha + beta x + amplitude sin(2 pi x / period + phase), x in ns
	 * from the first knot; period_ns is that of the steps in a saw-tooth */
	double amplitude_ns, period_ns, phase;
	double step_ns, slew; /* the largest; beyond the usual rate */
	double when_ns, until_ns; /* dates of the reference */
	size_t steps; /* steps and slews together */
};

/*
 * Looks at a track that follows messages, or at one of two ends only, which can
 * tell little. Returns 0, TAPE_EFEW (fewer than 8 knots: the shape is EVEN as
 * far as anybody knows, and d is filled) or TAPE_ENOMEM.
 */
int tape_clock_diagnose(const struct tape_clock_track *t,
			struct tape_clock_diagnosis *d);

#endif
