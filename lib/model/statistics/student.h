/*
 * Student's t distribution: how wide an interval of a mean of n values is.
 */
#ifndef TAPE_STUDENT_H
#define TAPE_STUDENT_H

/*
 * Returns the t for which a variable with so many degrees of freedom is between
 * -t and t with probability p (0 < p < 1): exact but for rounding, by bisection
 * of the finite sums for whole numbers of degrees (Abramowitz and Stegun 1964,
 * 26.7.3 and 26.7.4). degrees >= 1; O(degrees). Else NAN.
 */
double tape_student_quantile(double p, int degrees);

/*
 * Figures of values that come one by one (Welford 1962): mean, sum of squares
 * of differences from it, least and most. All zeros: none has come.
 */
struct tape_sample_sums {
	int n;
	double mean, squares, least, most;
};

void tape_sample_add(struct tape_sample_sums *s, double v);

/*
 * Returns half the width of the interval that contains the true mean with
 * probability p, if the values are normal and independent: t s / sqrt(n)
 * (Student 1908). NAN of fewer than two values.
 */
double tape_sample_half_width(const struct tape_sample_sums *s, double p);

#endif
