/*
 * What kind of clock it was: even, oscillating with the temperature, steered by
 * NTP or PTP, set, stopped. From its track.
 */
#ifndef TAPE_MODEL_DIAGNOSE_H
#define TAPE_MODEL_DIAGNOSE_H

#include "track.h"

enum tape_clock_shape {
	TAPE_CLOCK_EVEN,       /* nothing speaks against a straight line */
	TAPE_CLOCK_BENT,       /* its rate changed slowly: temperature */
	TAPE_CLOCK_OSCILLATES, /* amplitude_ns, period_ns */
	TAPE_CLOCK_SLEWED,     /* rate differs by slew from when_ns to until_ns */
	TAPE_CLOCK_SAWTOOTH,   /* steps of step_ns every period_ns */
	TAPE_CLOCK_STEPPED     /* by step_ns at when_ns; also a host that stood
				* still */
};

struct tape_clock_diagnosis {
	enum tape_clock_shape shape;
	/* of a straight line and of the oscillation; 2: no correlation is left
	 * in the residuals (Durbin and Watson) */
	double dw_line, dw_sine;
	/* residuals of both, standard deviation */
	double resid_line_ns, resid_sine_ns;
	/* alpha + beta x + amplitude sin(2 pi x / period + phase) */
	double amplitude_ns, period_ns, phase;
	double step_ns, slew;
	double when_ns, until_ns; /* dates of the reference */
	size_t steps;
};

/*
 * Looks at a track that follows messages, or at one of two ends only, which can
 * tell little. Returns 0, TAPE_EFEW (fewer than 8 knots: the shape is EVEN as
 * far as anybody knows, and d is filled) or TAPE_ENOMEM.
 */
int tape_clock_diagnose(const struct tape_clock_track *t,
			struct tape_clock_diagnosis *d);

#endif
