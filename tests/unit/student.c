/*
 * Student's t: quantiles of published tables (Abramowitz and Stegun 1964, table
 * 26.10; Student's own of 1908 for one degree is tan), a mean and its interval
 * as Python's statistics module and that table give them.
 */
#include <math.h>

#include "student.h"
#include "tap.h"

static void test_table(void)
{
	static const struct {
		int degrees;
		double p, t;
	} truth[] = {
	    {1, 0.95, 12.706},	{2, 0.95, 4.303},   {3, 0.95, 3.182},
	    {4, 0.95, 2.776},	{5, 0.95, 2.571},   {9, 0.95, 2.262},
	    {10, 0.95, 2.228},	{29, 0.95, 2.045},  {30, 0.95, 2.042},
	    {60, 0.95, 2.000},	{120, 0.95, 1.980}, {1, 0.99, 63.657},
	    {2, 0.99, 9.925},	{5, 0.99, 4.032},   {10, 0.99, 3.169},
	    {10, 0.5, 0.700},	{7, 0.9, 1.895},    {100000, 0.95, 1.960},
	    {100001, 0.99, 2.576},
	};

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		double t = tape_student_quantile(truth[i].p, truth[i].degrees);

		ok(fabs(t - truth[i].t) <= 0.0005001,
		   "%d degrees, %g: %.4f", truth[i].degrees, truth[i].p, t);
	}
	ok(fabs(tape_student_quantile(0.95, 1) - tan(0.95 * M_PI / 2)) < 1e-9,
	   "one degree: the tangent");
	ok(isnan(tape_student_quantile(0.95, 0)) &&
	       isnan(tape_student_quantile(1, 3)) &&
	       isnan(tape_student_quantile(NAN, 3)),
	   "what is none");
}

static void test_sample(void)
{
	/* mean 5, standard deviation sqrt(32 / 7), t of 7 degrees 2.364624 */
	static const double v[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct tape_sample_sums s = {0};

	ok(isnan(tape_sample_half_width(&s, 0.95)), "of none no interval");
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		tape_sample_add(&s, v[i]);
	ok(s.n == 8 && fabs(s.mean - 5) < 1e-12 && s.least == 2 && s.most == 9,
	   "mean %g of %d, %g to %g", s.mean, s.n, s.least, s.most);
	ok(fabs(tape_sample_half_width(&s, 0.95) -
		2.364624252 * sqrt(32.0 / 7 / 8)) < 1e-8,
	   "half width %.9g", tape_sample_half_width(&s, 0.95));
}

int main(void)
{
	test_table();
	test_sample();
	return done();
}
