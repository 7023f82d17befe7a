/*
 * Times as functions of a message's size, in straight pieces: libraries change
 * their protocol with the size, so no one line fits all.
 *
 *	struct tape_curve c;
 *
 *	tape_curve_fit(samples, n, &c);
 *	ns = tape_curve_at(&c, 4096);
 *
 * A curve is a plain struct of its owner's; nothing is allocated for it.
 */
#ifndef TAPE_MODEL_CURVE_H
#define TAPE_MODEL_CURVE_H

#include <stddef.h>

/* Room for a piece of each power of two. */
#define TAPE_CURVE_PIECES 66

/* From that size on, up to the next piece: ns + rate x bytes, in ns. */
struct tape_piece {
	double from_bytes;
	double ns, rate;
};

/*
 * n pieces by rising from_bytes; the first one holds below its own beginning,
 * too. Neighbours need not meet. n = 0: no curve.
 */
struct tape_curve {
	int n;
	struct tape_piece piece[TAPE_CURVE_PIECES];
};

/* The time of a size in ns, never negative; 0 of no curve. */
double tape_curve_at(const struct tape_curve *c, double bytes);

/* What the next byte of that size adds, in ns; 0 of no curve. */
double tape_curve_rate(const struct tape_curve *c, double bytes);

/*
 * Adds a piece behind the others. One that goes on like the last one changes
 * nothing; where there is no room the last one goes on. from_bytes must not
 * be less than that of the last piece.
 */
void tape_curve_add(struct tape_curve *c, double from_bytes, double ns,
		    double rate);

/* How long a message of that size took. */
struct tape_timing {
	double bytes, ns;
};

/*
 * Fits a curve to n samples, which it sorts by size. Sizes within a quarter of
 * a power of two count as one, with their medians, so that a minority of
 * disturbed samples does no harm. Each piece is the line of least relative
 * squares through two medians or more, its rate not negative; the last one,
 * which all larger sizes take, through three. Where pieces
 * begin is found for each number of them by dynamic programming (Bellman,
 * Communications of the ACM 4, 1961, p. 284), and how many there are by
 * Schwarz's criterion (Yao, Statistics & Probability Letters 6, 1988,
 * p. 181): each piece costs three parameters, and to be nearer to the medians
 * than these are certain, or than 1% and 5 ns, gains nothing. The second of
 * two pieces begins where their lines cross, if that is between their medians,
 * else at its first median.
 * Returns 0; TAPE_EFEW without a sample; TAPE_ENOMEM. The curve is untouched
 * on error.
 */
int tape_curve_fit(struct tape_timing *s, size_t n, struct tape_curve *c);

#endif
