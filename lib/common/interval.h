/*
 * An interval of time as a text: with as many digits as tell its ends apart,
 * rounded so that it contains what it contained.
 */
#ifndef TAPE_INTERVAL_H
#define TAPE_INTERVAL_H

struct tape_seconds {
	double from_s, to_s; /* to be printed with "%.*f" */
	int digits;          /* after the point */
	int exact;           /* both ends are one number */
};

/*
 * Of times in whole nanoseconds. 6 digits, or up to 9 where the interval is
 * narrower than 10 units of the last one.
 */
struct tape_seconds tape_interval_seconds(double from_ns, double to_ns);

#endif
