/*
 * Clocks while the program runs: how wrong the dates of each clock are now, by
 * rounds taken at the start and by the messages since, and how to go on so that
 * they become right. Of each clock the error is known to be within an interval.
 * It grows with time, since clocks drift, and each message between two clocks
 * bounds it again: a message is not received before it was sent (Maillet 1996,
 * 3.4; Duda et al. 1987 bound two clocks so after the run).
 *
 * Pure: nanoseconds in and out. Dates are those of the maps that are in use. Of
 * a clock, the error is its date less the true one, which is the reference's,
 * clock 0.
 */
#ifndef TAPE_MODEL_CLOCK_RUNNING_H
#define TAPE_MODEL_CLOCK_RUNNING_H

#include <stddef.h>

/*
 * What two clocks are supposed to drift apart at most, s/s: crystals keep to
 * 100 ppm each.
 */
#define TAPE_CLOCK_RUNNING_DRIFT 2e-4

/* So many changes of a map are remembered: older messages say nothing. */
enum { TAPE_CLOCK_RUNNING_TURNS = 32 };

/* A date from which on a map is another one; s/s until then. */
struct tape_clock_turn {
	double at_ns, before;
};

struct tape_clock_error {
	int reference;	     /* it is right by definition; the rest is 0 */
	int turns;	     /* in turn, the oldest first */
	double at_ns;	     /* at that date */
	double lo_ns, hi_ns; /* infinite: not bounded */
	double steered; /* s/s: what is added to its dates, by the map */
	double rate;	/* of that, what has come again and again */
	struct tape_clock_turn turn[TAPE_CLOCK_RUNNING_TURNS];
};

/* The error at that date or later. */
void tape_clock_running_advance(struct tape_clock_error *c, double at_ns);

/*
 * A message of clock a to clock b, sent and received at these dates: both
 * errors become what agrees with it. a and b may be the same. The message may
 * be older than what is known of them.
 */
void tape_clock_running_message(struct tape_clock_error *a,
				struct tape_clock_error *b, double sent_ns,
				double received_ns);

/*
 * How fast its dates are to go so that span_ns after at_ns the middle of the
 * interval is 0: 1 + what is returned, which is within a thousandth of 0. Notes
 * that they go so from from_ns on, the last date that was asked for: those from
 * there to at_ns become other ones. 0 where the error is not bounded.
 */
double tape_clock_running_steer(struct tape_clock_error *c, double from_ns,
				double at_ns, double span_ns);

#endif
