/* Figures that cannot be true are found, and no others. */
#include <math.h>
#include <string.h>

#include "figure_checks.h"
#include "tap.h"

int main(void)
{
	struct tape_efficiency e = {.load_balance = 0.8,
				    .communication = 0.9,
				    .parallel = 0.72,
				    .serialisation = NAN,
				    .transfer = NAN};
	struct tape_efficiency from = e, to = e, over = e, outside = e;
	char text[100];

	ok(figure_is_within(100, 90, 110), "a figure in its interval");
	ok(figure_is_within(100, 100, 100), "an interval of a point");
	ok(figure_is_within(89.2, 90, 110),
	   "less than a nanosecond is rounding");
	ok(!figure_is_within(88, 90, 110), "below");
	ok(!figure_is_within(112, 90, 110), "above");
	ok(figure_is_within(1e12 + 900, 0, 1e12), "1e-9 of a long time");
	ok(!figure_is_within(1e12 + 1100, 0, 1e12), "more than that");
	ok(!figure_is_within(NAN, 0, 1), "what is no number");
	ok(figure_factors_hold(&e, NULL, NULL), "factors without bounds");
	from.parallel = 0.71;
	to.parallel = 0.73;
	ok(figure_factors_hold(&e, &from, &to), "factors within bounds");
	outside.parallel = 0.74;
	ok(!figure_factors_hold(&outside, &from, &to), "one out of its bounds");
	over.transfer = 1.01;
	ok(!figure_factors_hold(&over, NULL, NULL), "one above 1");
	over.transfer = -0.01;
	ok(!figure_factors_hold(&over, NULL, NULL), "one below 0");
	figure_error_text("it is so", text, sizeof text);
	ok(!strcmp(text, "Internal error: it is so. Please report it, with the "
			 "trace"),
	   "what is said then");
	return done();
}
