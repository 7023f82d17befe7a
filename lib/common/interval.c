/* Intervals of time as texts; see interval.h. */
#include <math.h>

#include "interval.h"

enum { DIGITS_LEAST = 6, DIGITS_MOST = 9, UNITS = 10 };

struct tape_seconds tape_interval_seconds(double from_ns, double to_ns)
{
	struct tape_seconds x = {.digits = DIGITS_LEAST};
	double unit_ns = 1e3;

	while (x.digits < DIGITS_MOST && to_ns - from_ns < UNITS * unit_ns) {
		x.digits++;
		unit_ns /= 10;
	}
	x.from_s = floor(from_ns / unit_ns) * unit_ns / 1e9;
	x.to_s = ceil(to_ns / unit_ns) * unit_ns / 1e9;
	x.exact = floor(from_ns / unit_ns) == ceil(to_ns / unit_ns);
	return x;
}
