/* Intervals as they are printed: none loses what it contained. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interval.h"
#include "tap.h"

static const char *text(double from_ns, double to_ns)
{
	static char s[100];
	struct tape_seconds x = tape_interval_seconds(from_ns, to_ns);

	snprintf(s, sizeof s, "%.*f %.*f%s", x.digits, x.from_s, x.digits,
		 x.to_s, x.exact ? " exactly" : "");
	return s;
}

/* The printed ends enclose the true ones, and differ where these do. */
static int is_wrong(double from_ns, double to_ns)
{
	double a, b;

	if (sscanf(text(from_ns, to_ns), "%lf %lf", &a, &b) != 2)
		return 1;
	return a * 1e9 > from_ns + 0.5 || b * 1e9 < to_ns - 0.5 ||
	       (to_ns > from_ns && !(b > a)) ||
	       (b - a) * 1e9 > to_ns - from_ns + 2000;
}

int main(void)
{
	int wrong = 0;

	ok(!strcmp(text(1055012, 1055012), "0.001055012 0.001055012 exactly"),
	   "a point");
	ok(!strcmp(text(1055012, 1055013), "0.001055012 0.001055013"),
	   "1 ns");
	ok(!strcmp(text(1055012, 1055412), "0.00105501 0.00105542"),
	   "400 ns");
	ok(!strcmp(text(320175100, 320916900), "0.320175 0.320917"),
	   "milliseconds");
	ok(!strcmp(text(-3, 5), "-0.000000003 0.000000005"),
	   "on both sides of 0");
	srand(5);
	for (int i = 0; i < 100000; i++) {
		double from = (double)(rand() % 2000000000);
		double width = (double)(rand() % (1 << rand() % 30));

		wrong += is_wrong(from, from + width);
	}
	ok(!wrong, "100,000 intervals are within what is printed");
	return done();
}
