/*
 * The straight lines that meet hard bounds: y at least, or at most, some value
 * at some x. They form a convex polygon in the plane of intercept and slope.
 *
 *	tape_bounds_lines(lower, n_lower, upper, n_upper, &lines);
 *	tape_bounds_at(&lines, x, &least, &most);
 *
 * Knows nothing of clocks; see clock.h for what bounds them.
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
 * The polygon's corners, around it. Where it has more than there is room for,
 * bounds that narrow it least are left out: a polygon around the true one, so
 * that what is said to be impossible is.
 */
struct tape_lines {
	size_t n; /* 0: no line meets all bounds */
	struct tape_line corner[TAPE_BOUNDS_CORNERS];
};

/*
 * Finds the polygon of a + b x with a + b x_i >= y_i for the n_lower lower
 * bounds and <= y_i for the upper ones, in O(n log n). Both arrays are sorted
 * and thinned out in place. Returns 0, also when there are no such lines, or
 * TAPE_ESPREAD: the polygon is not closed, as no lower bound lies beyond an
 * upper one or one of the kinds is missing; lines is then untouched.
 */
int tape_bounds_lines(struct tape_bound *lower, size_t n_lower,
		      struct tape_bound *upper, size_t n_upper,
		      struct tape_lines *lines);

/*
 * Leaves those whose slope is between least and most; all of them where none
 * is. Room is needed for two more corners: tape_bounds_lines leaves it.
 */
void tape_bounds_slopes(struct tape_lines *lines, double least, double most);

/* What these lines say of y at x; infinite where there are none. */
void tape_bounds_at(const struct tape_lines *lines, double x, double *least,
		    double *most);

/*
 * The line of the polygon that is nearest to l: by the sum of the squares of
 * the distances at x1 and x2, which differ. l itself where it is one of them or
 * there are none.
 */
struct tape_line tape_bounds_nearest(const struct tape_lines *lines,
				     struct tape_line l, double x1, double x2);

#endif
