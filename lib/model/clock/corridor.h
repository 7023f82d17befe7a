/*
 * Windows of bounds in which a clock follows one smooth curve: the widest
 * corridor of two parallel curves between upper and lower bounds, and how far a
 * window may grow before the corridor narrows. Tape's own: doc/clocks-run.md,
 * "Windows".
 */
#ifndef TAPE_MODEL_CORRIDOR_H
#define TAPE_MODEL_CORRIDOR_H

#include <stddef.h>

/* A bound v of the offset at time x, both in ns. */
struct tape_corridor_bound {
	double x, v;
	int upper;
};

/* All bounds of a clock, times ascending. */
struct tape_corridor_bounds {
	struct tape_corridor_bound *b;
	size_t n;
	struct tape_corridor_bound *room; /* scratch for 2 n */
};

/*
 * The curve y = a + b z + c z z, z = (x - mid) / half, in the middle of the
 * widest corridor that lies below all upper bounds and above all lower ones. If
 * delays are a minimum plus an exponential part, as those of messages nearly
 * are, it is the likeliest curve, and its error falls as 1/n, not as 1/sqrt(n).
 */
struct tape_corridor {
	size_t first, end;  /* the bounds of the window */
	double from, to;    /* times of the first and the last bound */
	double mid, half;
	double a, b, c;
	double gap;         /* height of the corridor; negative: no curve */
	double noise;       /* the part of the gap that may be random */
	double floor;       /* random delays make the gap no less than this;
			     * -INFINITY: too few bounds */
};

/*
 * Fits the bounds from first to end. Returns 1, or 0 if they determine no
 * curve: fewer than three a side, or the sides do not overlap in time.
 */
int tape_corridor_fit(const struct tape_corridor_bounds *s, size_t first,
		      size_t end, struct tape_corridor *w);

/* The same with straight lines, c = 0. */
int tape_corridor_line(const struct tape_corridor_bounds *s, size_t first,
		       size_t end, struct tape_corridor *w);

/*
 * Grows the window to the right while the corridor is at least least high (ns).
 * A narrower corridor alone does not end the window: messages may be faster
 * there.
 */
void tape_corridor_grow(const struct tape_corridor_bounds *s, double least,
			struct tape_corridor *w);

/*
 * Fits the smallest possible window that begins at first. Returns its end, or 0
 * if there is none.
 */
size_t tape_corridor_seed(const struct tape_corridor_bounds *s, size_t first,
			  size_t end, struct tape_corridor *w);

/* The curve at time x, which may be outside the window. */
double tape_corridor_at(const struct tape_corridor *w, double x);

#endif
