/*
 * Calls of a place that take longer and longer: what they took, waiting left
 * out, by when they began. Bins have a width of a power of two, ns, and are as
 * narrow as the time between the first and the last call allows.
 *
 *	struct call_growth g = {0};
 *	struct call_trend t;
 *
 *	call_growth_add(&g, start_ns, 1, ns);
 *	if (call_growth_find(&g, &t))
 *		printf("%g to %g ns\n", t.from_ns, t.to_ns);
 */
#ifndef STAT_CALL_GROWTH_H
#define STAT_CALL_GROWTH_H

#include <stdint.h>

enum { GROWTH_BINS = 32 };

/* Zeroed at first. The sums do not depend on the order of calls. */
struct call_growth {
	int64_t first, last; /* numbers of bins: time >> shift */
	uint32_t shift;
	uint32_t used; /* 0: nothing was added */
	struct {
		uint64_t calls, ns; /* ns: modulo 2^64 */
	} bin[GROWTH_BINS];
};

/* The mean call of the first and the last quarter of the time, ns. */
struct call_trend {
	double from_ns, to_ns;
	double more_ns; /* what all calls took, above from_ns each */
};

/* Adds so many calls that began at at_ns, and so much time: less than 0 takes
 * waiting out. */
void call_growth_add(struct call_growth *g, int64_t at_ns, uint64_t calls,
		     int64_t ns);

/* Adds other to g. */
void call_growth_merge(struct call_growth *g, const struct call_growth *other);

/*
 * Returns 1 if calls grow: the mean of each quarter of the time is at least
 * 0.95 of that before, the last one at least 1.5 times the first, and each
 * quarter has 4 calls. Else 0, and *t is not set.
 */
int call_growth_find(const struct call_growth *g, struct call_trend *t);

#endif
