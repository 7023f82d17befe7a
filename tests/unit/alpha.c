/*
 * The alpha of a class is within the bounds that are given with it, whatever
 * the loops measured: a mark's cost was once less than what its counters took
 * by themselves, and nothing could read the trace.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha.h"
#include "core.h"
#include "define.h"
#include "tap.h"

/* In place of core.c's. */
struct tape_process tape_process;

static double before, after, least, most, low, high;
static char key[16];

/* In place of the rank's file. */
int tape_define(const char *format, ...)
{
	char line[256], name[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	return sscanf(line, "%15s %63s %lf %lf %lf %lf %lf %lf", key, name,
		      &before, &after, &least, &most, &low, &high) == 8
		       ? 0
		       : -1;
}

static int near(double a, double b)
{
	return fabs(a - b) < 0.06;
}

/* All of it is rounded to a tenth. */
static int within(void)
{
	double sum = before + after;

	return before >= 0 && after >= 0 && least >= 0 && least <= sum + 0.2 &&
	       sum <= most + 0.2 && low >= 0 && low <= sum + 0.2 &&
	       sum <= high + 0.2;
}

/* With an interval of a tenth to each side. */
static struct tape_cost cost(double quick, double usual, double slow)
{
	return (struct tape_cost){ quick, usual, slow, 0.9 * usual,
				   1.1 * usual };
}

static unsigned long long state = 20261;

static double any(double most_)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 33) / 2147483648.0 * most_;
}

int main(void)
{
	int bad = 0;

	tape_alpha_mark("enter", cost(2700, 2700, 2729.8),
			2798.3, 2833.5);
	ok(near(before, 2700) && after == 0 && least == 0 && near(most, 2729.8),
	   "a mark that cost less than its counters alone");
	tape_alpha_mark("leave", cost(100, 100, 120), 60, 70);
	ok(near(before, 80) && near(after, 20) && near(least, 30) &&
		   near(most, 120),
	   "a mark: its counters, and half of the rest on each side");
	tape_alpha("send", cost(50, 50, 61.5), 20);
	ok(near(before, 20) && near(after, 30) && near(least, 10) &&
		   near(most, 61.5),
	   "a call: one reading before, two of them may cost nothing");
	tape_process.again_until = 1;
	tape_alpha("send", cost(50, 54, 61.5), 20);
	ok(near(before, 20) && near(after, 34) && near(least, 10) &&
		   near(most, 61.5),
	   "what it costs mostly, between the bounds of the quickest and slow");
	ok(near(low, 48.6) && near(high, 59.4) && !strcmp(key, "alpha_end"),
	   "and its interval; at the end");
	tape_process.again_until = 0;
	tape_alpha_more("done", cost(50, 50, 60), cost(90, 90, 130), 8);
	ok(before == 0 && near(after, 5) && near(least, 30. / 8) &&
		   near(most, 10) &&
		   near(low, (81 - 55) / 8.) && near(high, (99 - 45) / 8.) &&
		   !strcmp(key, "alpha"),
	   "more of something: for each");
	tape_alpha_more("done", cost(50, 50, 60),
			cost(40, 40, 45), 8);
	ok(before == 0 && after == 0 && least == 0 && most == 0,
	   "less for more is nothing");

	for (int i = 0; i < 100000; i++) {
		double counting = any(i % 3 ? 3000 : 3), clock = any(60);
		double quick = any(i % 2 ? 6000 : 30);
		struct tape_cost one = cost(quick, 0, 0);
		struct tape_cost all = cost(any(6000), 0, 0);

		one.usual = one.least + any(i % 5 ? 300 : 0.2);
		one.slow = one.usual + any(i % 5 ? 500 : 0.3);
		all.usual = all.least + any(30);
		all.slow = all.usual + any(50);
		one.low = one.usual - any(20);
		one.high = one.usual + any(20);
		all.low = all.usual - any(20);
		all.high = all.usual + any(20);
		if (i % 7 == 0)
			one.low = one.high = one.usual;
		tape_alpha_mark("enter", one, counting, clock + counting);
		bad += !within();
		tape_alpha("send", one, clock + counting);
		bad += !within();
		tape_alpha_more("done", one, all, 1 + i % 9);
		bad += !within();
	}
	ok(!bad, "100,000 random measurements: %d out of their bounds", bad);
	return done();
}
