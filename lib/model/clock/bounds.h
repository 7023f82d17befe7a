/*
 * The straight lines that meet hard bounds: a lower or an upper limit of y at
 * some x. They form a convex polygon in the plane of intercept and slope.
 * Tape's own: doc/clocks.md, "The fit"; the sweep is derived in bounds.c.
 *
 *	tape_bounds_lines(lower, n_lower, upper, n_upper, &lines);
 *	tape_bounds_at(&lines, x, &least, &most);
 *
 * This file does not depend on clocks; clock.h makes the bounds of clocks.
 */
#ifndef TAPE_MODEL_BOUNDS_H
#define TAPE_MODEL_BOUNDS_H

#include <stddef.h>

struct tape_bound {
	double x, y;
};

struct tape_line {
	double a, b; /* a + b x */
};

enum { TAPE_BOUNDS_CORNERS = 64 };

/*
 * The corners of the polygon, in order around it. If there are more than
 * TAPE_BOUNDS_CORNERS, bounds are left out: the polygon then contains the true
 * one, so every line outside it is impossible.
 */
struct tape_lines {
	size_t n; /* 0: no line meets all bounds */
	struct tape_line corner[TAPE_BOUNDS_CORNERS];
};

/*
 * Finds the polygon of a + b x with a + b x_i >= y_i for the n_lower lower
 * bounds and <= y_i for the upper ones, in O(n log n). Both arrays are sorted
 * and reduced in place. Returns 0, also if no line meets all bounds. Returns
 * TAPE_ESPREAD if the polygon is not closed: one kind of bound is missing, or
 * all bounds of one kind lie before those of the other. lines is then
 * unchanged.
 */
int tape_bounds_lines(struct tape_bound *lower, size_t n_lower,
		      struct tape_bound *upper, size_t n_upper,
		      struct tape_lines *lines);

/*
 * Restricts the polygon to slopes between least and most. Changes nothing if no
 * line has such a slope. Needs space for two more corners, which
 * tape_bounds_lines leaves.
 */
void tape_bounds_slopes(struct tape_lines *lines, double least, double most);

/* The range of y at x over all lines; infinite if there are no lines. */
void tape_bounds_at(const struct tape_lines *lines, double x, double *least,
		    double *most);

/*
 * The line of the polygon that is nearest to l, by the sum of the squared
 * distances at x1 and x2, which differ. Returns l if l is in the polygon or the
 * polygon is empty.
 */
struct tape_line tape_bounds_nearest(const struct tape_lines *lines,
				     struct tape_line l, double x1, double x2);

#endif
