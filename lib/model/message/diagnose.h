/*
 * Classifies a clock by its track: linear, oscillating with the temperature,
 * steered by NTP or PTP, set, or stopped. The oscillation and its test: Maillet
 * 1996, 3.3.2. The limits of the other classes are Tape's own, given below and
 * at the constants of diagnose.c.
 */
#ifndef TAPE_MODEL_DIAGNOSE_H
#define TAPE_MODEL_DIAGNOSE_H

#include "clock_track.h"

enum tape_clock_shape {
	TAPE_CLOCK_EVEN,       /* linear, as far as the track shows */
	TAPE_CLOCK_BENT,       /* the rate changed slowly: temperature */
	TAPE_CLOCK_OSCILLATES, /* amplitude_ns, period_ns */
	TAPE_CLOCK_SLEWED,     /* by slew from when_ns to until_ns */
	TAPE_CLOCK_SAWTOOTH,   /* steps of step_ns every period_ns */
	TAPE_CLOCK_STEPPED     /* by step_ns between when_ns and until_ns */
};

/*
 * A host that was suspended together with its clock gives a step backwards of
 * any size. The track alone does not distinguish this from a clock that was
 * set; the suspended time that the kernel counts does. NTP sets a clock only by
 * more than 0.128 s, and else slews it, by at most 500 ppm.
 *
 * Bounds half way distinguish a slew from a step. A slew between two messages
 * counts as a step.
 */

struct tape_clock_diagnosis {
	enum tape_clock_shape shape;
	/* statistic of Durbin and Watson (3.3.2) of the residuals of a straight
	 * line and of the oscillation, at 256 times: 2 without correlation. A
	 * track is smooth, so both are small; the larger fits better. */
	double dw_line, dw_sine;
	/* standard deviations of both residuals */
	double resid_line_ns, resid_sine_ns;
	/* alpha + beta x + amplitude sin(2 pi x / period + phase), x in ns
	 * from the first knot; period_ns is that of the steps in a saw-tooth */
	double amplitude_ns, period_ns, phase;
	double step_ns, slew; /* the largest; relative to the median rate */
	double when_ns, until_ns; /* times of the reference */
	size_t steps; /* steps and slews together */
};

/*
 * Classifies a track that was fitted to messages, or one by its two ends only,
 * which shows little. Returns 0, TAPE_ENOMEM or TAPE_EFEW: with fewer than 8
 * knots the shape is TAPE_CLOCK_EVEN, and d is set.
 */
int tape_clock_diagnose(const struct tape_clock_track *t,
			struct tape_clock_diagnosis *d);

#endif
