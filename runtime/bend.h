/*
 * Clocks with a known error, for tests: the reading of a clock that is off by
 * an offset, a drift, an oscillation, a saw-tooth, a slew, a step and its
 * granularity, as a function of the true date. Pure: no clock is read here.
 */
#ifndef TAPE_BEND_H
#define TAPE_BEND_H

#include <stdint.h>

/* All zero: the true clock. Times are ns, counted from the first reading. */
struct tape_bend {
	double offset_ns;
	double drift;                       /* s/s */
	double sine_ns, sine_period_ns;     /* amplitude; 0 ns period: none */
	double sine_phase;                  /* radians */
	double saw_ns, saw_period_ns;       /* gained in a period, then lost */
	double slew, slew_from_ns, slew_to_ns; /* extra rate, s/s, meanwhile */
	double step_ns, step_at_ns;         /* added from then on */
	double quantum_ns;                  /* readings are multiples of it */
};

/*
 * Reads "offset=NS drift=RATE sine=NS:PERIOD:PHASE saw=NS:PERIOD
 * slew=RATE:FROM:TO step=NS:AT quantum=NS", any of them, separated by commas
 * or blanks. Returns 0, or TAPE_ERANGE with b untouched.
 */
int tape_bend_parse(const char *text, struct tape_bend *b);

/* What the clock shows less the true date, elapsed_ns after the first one. */
double tape_bend_error(const struct tape_bend *b, double elapsed_ns);

/* The reading at the true date true_ns; first_ns was the first one. */
uint64_t tape_bend_read(const struct tape_bend *b, uint64_t first_ns,
			uint64_t true_ns);

#endif
