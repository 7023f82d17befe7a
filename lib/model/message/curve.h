/*
 * Times as piecewise linear functions of a message's size: libraries change
 * their protocol with the size, so no single line fits.
 *
 *	struct tape_curve c;
 *
 *	tape_curve_fit(samples, n, &c);
 *	ns = tape_curve_at(&c, 4096);
 *
 * A curve is a plain struct of its owner; nothing is allocated.
 */
#ifndef TAPE_MODEL_CURVE_H
#define TAPE_MODEL_CURVE_H

#include <stddef.h>

/* Capacity: a piece for each power of two. */
#define TAPE_CURVE_PIECES 66

/* From from_bytes up to the next piece: ns + rate x bytes, in ns. */
struct tape_piece {
	double from_bytes;
	double ns, rate;
};

/*
 * n pieces by rising from_bytes; the first piece also holds below its
 * beginning. Neighbours need not meet. n = 0: no curve.
 */
struct tape_curve {
	int n;
	struct tape_piece piece[TAPE_CURVE_PIECES];
};

/* The time of a size in ns, never negative; 0 without a curve. */
double tape_curve_at(const struct tape_curve *c, double bytes);

/* The slope at a size, ns per byte; 0 without a curve. */
double tape_curve_rate(const struct tape_curve *c, double bytes);

/*
 * Appends a piece; from_bytes must not be less than that of the last piece.
 * Does nothing if the piece equals the last one or the curve is full.
 */
void tape_curve_add(struct tape_curve *c, double from_bytes, double ns,
		    double rate);

/* The measured time of a message. */
struct tape_timing {
	double bytes, ns;
};

/*
 * Fits a curve to n samples, which it sorts by size. Sizes within a quarter of
 * a power of two are replaced by their medians, so a minority of disturbed
 * samples does no harm. Each piece is the line of least relative squares
 * through two medians or more, with a rate >= 0; the last piece, which holds
 * for all larger sizes, has three or more.
 *
 * Dynamic programming finds where the pieces begin (Bellman, Communications of
 * the ACM 4, 1961, p. 284), and Schwarz's criterion their number (Yao,
 * Statistics & Probability Letters 6, 1988, p. 181). Each piece costs three
 * parameters. A fit closer than the error of the medians, or than 1% and 5 ns,
 * gains nothing. A piece begins where its line crosses the one before, if that
 * is between their medians, else at its first median.
 *
 * Returns 0, TAPE_EFEW without a sample, or TAPE_ENOMEM. The curve is unchanged
 * on error.
 */
int tape_curve_fit(struct tape_timing *s, size_t n, struct tape_curve *c);

#endif
