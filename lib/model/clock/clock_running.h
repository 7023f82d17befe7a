/*
 * Clocks while the program runs: an interval of the current error of each
 * clock, and the change of rate that removes the error. Rounds at the start
 * give the first interval. It grows with time, since clocks drift, and each
 * message between two clocks narrows it: a message is not received before it
 * was sent (Maillet 1996, 3.4; Duda et al. 1987 bound two clocks so after the
 * run). The adjustment of the rate is Tape's own: doc/streaming.md, "Clocks".
 *
 * Pure functions, in ns. Timestamps are those by the present maps. The error of
 * a clock is its timestamp minus the true time, that of the reference (clock
 * 0).
 */
#ifndef TAPE_MODEL_CLOCK_RUNNING_H
#define TAPE_MODEL_CLOCK_RUNNING_H

#include <stddef.h>

/*
 * The largest relative drift of two clocks, s/s: crystals are within 100 ppm.
 */
#define TAPE_CLOCK_RUNNING_DRIFT 2e-4

/* Changes of a rate that are stored; older messages are ignored. */
enum { TAPE_CLOCK_RUNNING_TURNS = 32 };

/* A change of a rate: its time, and the rate before it, s/s. */
struct tape_clock_turn {
	double at_ns, before;
};

struct tape_clock_error {
	int reference;	     /* its error is 0; all other fields are 0 */
	int turns;	     /* used in turn, the oldest first */
	double at_ns;	     /* time of the interval */
	double lo_ns, hi_ns; /* infinite: not bounded */
	double steered; /* s/s: the map adds this to its timestamps */
	double rate;	/* the lasting part of steered */
	struct tape_clock_turn turn[TAPE_CLOCK_RUNNING_TURNS];
};

/* Widens the interval by the drift until at_ns, if that is later. */
void tape_clock_running_advance(struct tape_clock_error *c, double at_ns);

/*
 * Narrows both intervals by a message from clock a to clock b. a and b may be
 * the same. The message may be older than the intervals.
 */
void tape_clock_running_message(struct tape_clock_error *a,
				struct tape_clock_error *b, double sent_ns,
				double received_ns);

/*
 * Sets the rate so that the middle of the interval is 0 at at_ns + span_ns.
 * Returns the difference of the rate from 1, within a thousandth; 0 if the
 * error is not bounded. The rate holds from from_ns, the last timestamp that
 * was converted, so timestamps from from_ns to at_ns change.
 */
double tape_clock_running_steer(struct tape_clock_error *c, double from_ns,
				double at_ns, double span_ns);

#endif
