/*
 * A clock through the whole run: its offset to the reference as a piecewise
 * linear function of time, and how wrong that can be at most at each instant.
 */
#ifndef TAPE_MODEL_CLOCK_TRACK_H
#define TAPE_MODEL_CLOCK_TRACK_H

#include <stddef.h>

#include "clock.h"

/*
 * At date ref_ns of the reference the offset (reading of the clock less that
 * of the reference) is at most, or at least, offset_ns. A message gives one: it
 * cannot arrive before it was sent.
 */
struct tape_clock_bound {
	double ref_ns, offset_ns;
};

/*
 * The offset at one date, linear from there to the next knot's. The true offset
 * less offset_ns lies within [lo_ns, hi_ns], which are linear in between, too.
 */
struct tape_clock_knot {
	double ref_ns, offset_ns;
	double lo_ns, hi_ns;
};

struct tape_clock_track {
	size_t n;                     /* at least 2, dates ascending */
	struct tape_clock_knot *knot; /* tape_clock_track_free */
	double wander;                /* s/s: the rate is supposed to differ
				       * from that of the track by that, where
				       * the track itself shows no more */
	int even;                     /* a straight line; -1: who knows */
};

/*
 * The track of a fitted straight line from from_ns to to_ns. Its interval holds
 * all lines that meet the rounds' bounds, widened by wander (0: the clock keeps
 * to a line) for the time from the nearest rounds: with two phases those at
 * from_ns and to_ns, with one where the lines lie closest. Returns 0,
 * TAPE_ERANGE (to_ns <= from_ns) or TAPE_ENOMEM.
 */
int tape_clock_track_line(const struct tape_clock_fit *fit, double wander,
			  double from_ns, double to_ns,
			  struct tape_clock_track *t);

/*
 * The track that follows the bounds: upper and lower ones, in any order (both
 * arrays are sorted by it). Of first, a first approximation, only the line
 * through its ends counts; it may be NULL. The track never leaves the
 * guaranteed interval, and has 4096 knots at most. The rounds at both ends are
 * to be given as bounds, too: beyond them the interval opens, by the largest of
 * the differences of rates below, or by all that is between the least and the
 * most rate of any window of the run where a clock was steered there.
 *
 * What carries the interval (doc/clocks-run.md): the bounds; that between them
 * the rate of the true offset differs from the slope of the track by no more
 * than the larger of wander, what a window there may hide, and twice the
 * difference of slopes nearby; and where windows break or slopes jump by more
 * than 50 ppm, that the clock went one way only, if the bounds allow that,
 * between the nearest telling bounds. even: the track is one straight line, if
 * there is one that meets all bounds, and t->even is then 1; -1 where bounds
 * are too few to tell. trip_ns: what the quickest round took, 0: not known;
 * where most bounds of an uneven clock leave more than three times as much, it
 * follows its line.
 * Returns 0, TAPE_EFEW (no bound on one of the sides), TAPE_ERANGE or
 * TAPE_ENOMEM; t is untouched on error.
 */
int tape_clock_track_fit(struct tape_clock_bound *upper, size_t n_upper,
			 struct tape_clock_bound *lower, size_t n_lower,
			 const struct tape_clock_track *first, double trip_ns,
			 double wander, int even, double from_ns, double to_ns,
			 struct tape_clock_track *t);

/* The track at a date: beyond its ends, as the first or last piece goes on. */
struct tape_clock_knot tape_clock_track_at(const struct tape_clock_track *t,
					   double ref_ns);

/* May be called twice, and for a track of zeroes. */
void tape_clock_track_free(struct tape_clock_track *t);

#endif
