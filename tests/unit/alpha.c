/*
 * The alpha of a class is within the bounds that are given with it, whatever
 * the loops measured: a mark's cost was once less than what its counters took
 * by themselves, and nothing could read the trace.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha.h"
#include "define.h"
#include "tap.h"

static double before, after, least, most;

/* In place of the rank's file. */
int tape_define(const char *format, ...)
{
	char line[256], name[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	return sscanf(line, "alpha %63s %lf %lf %lf %lf", name, &before, &after,
		      &least, &most) == 5
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
	       sum <= most + 0.2;
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

	tape_alpha_mark("enter", (struct tape_cost){ 2700, 2700, 2729.8 },
			2798.3, 2833.5);
	ok(near(before, 2700) && !after && !least && near(most, 2729.8),
	   "a mark that cost less than its counters alone");
	tape_alpha_mark("leave", (struct tape_cost){ 100, 100, 120 }, 60, 70);
	ok(near(before, 80) && near(after, 20) && near(least, 30) &&
		   near(most, 120),
	   "a mark: its counters, and half of the rest on each side");
	tape_alpha("send", (struct tape_cost){ 50, 50, 61.5 }, 20);
	ok(near(before, 20) && near(after, 30) && near(least, 10) &&
		   near(most, 61.5),
	   "a call: one reading before, two of them may cost nothing");
	tape_alpha("send", (struct tape_cost){ 50, 54, 61.5 }, 20);
	ok(near(before, 20) && near(after, 34) && near(least, 10) &&
		   near(most, 61.5),
	   "what it costs mostly, between the bounds of the quickest and slow");
	tape_alpha_more("done", (struct tape_cost){ 50, 50, 60 },
			(struct tape_cost){ 90, 90, 130 }, 8);
	ok(!before && near(after, 5) && near(least, 30. / 8) && near(most, 10),
	   "more of something: for each");
	tape_alpha_more("done", (struct tape_cost){ 50, 50, 60 },
			(struct tape_cost){ 40, 40, 45 }, 8);
	ok(!before && !after && !least && !most, "less for more is nothing");

	for (int i = 0; i < 100000; i++) {
		double counting = any(i % 3 ? 3000 : 3), clock = any(60);
		struct tape_cost one = { any(i % 2 ? 6000 : 30), 0, 0 }, all;

		one.usual = one.least + any(i % 5 ? 300 : 0.2);
		one.slow = one.usual + any(i % 5 ? 500 : 0.3);
		all.least = any(6000);
		all.usual = all.least + any(30);
		all.slow = all.usual + any(50);
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
