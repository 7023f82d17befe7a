/*
 * Windows of bounds in which a clock keeps to one smooth curve: the widest
 * corridor of a parallel pair of curves between upper and lower bounds, and how
 * far a window may grow before the corridor narrows.
 */
#ifndef TAPE_MODEL_CORRIDOR_H
#define TAPE_MODEL_CORRIDOR_H

#include <stddef.h>

/* A bound of the offset at a date, both in ns. */
struct tape_corridor_bound {
	double x, v;
	int upper;
};

/* All bounds of a clock, dates ascending. */
struct tape_corridor_bounds {
	struct tape_corridor_bound *b;
	size_t n;
	struct tape_corridor_bound *room; /* scratch for 2 n */
};

/*
 * The curve y = a + b z + c z z, z = (x - mid) / half, in the middle of the
 * widest corridor that lies below all upper bounds and above all lower ones.
 * When delays are exponential beyond a least value, as those of messages nearly
 * are, that is the likeliest curve, and its error falls as 1/n, not as
 * 1/sqrt(n).
 */
struct tape_corridor {
	size_t first, end;  /* the bounds of the window */
	double from, to;    /* dates of the first and the last of them */
	double mid, half;
	double a, b, c;
	double gap;         /* its height; negative: there is no such curve */
	double noise;       /* how much of the gap chance may have made */
	double floor;       /* by chance the gap does not become less;
			     * -INFINITY: too few bounds to tell */
};

/*
 * Fits the bounds from first to end. Returns 1, or 0 when they determine no
 * curve: fewer than three a side, or the sides lie apart in time.
 */
int tape_corridor_fit(const struct tape_corridor_bounds *s, size_t first,
		      size_t end, struct tape_corridor *w);

/* The same with straight lines, c = 0. */
int tape_corridor_line(const struct tape_corridor_bounds *s, size_t first,
		       size_t end, struct tape_corridor *w);

/*
 * Lets the window grow to the right for as long as the corridor is as high as
 * least. (That it narrows is no reason to stop: messages may be quicker there.)
 */
void tape_corridor_grow(const struct tape_corridor_bounds *s, double least,
			struct tape_corridor *w);

/*
 * The smallest window from first on that can be fitted: its end, or 0 when
 * there is none.
 */
size_t tape_corridor_seed(const struct tape_corridor_bounds *s, size_t first,
			  size_t end, struct tape_corridor *w);

/* The curve at a date, which may be outside of the window. */
double tape_corridor_at(const struct tape_corridor *w, double x);

#endif
