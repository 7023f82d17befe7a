/* A monotonic clock, ns. */
#ifndef TAPECAL_NOW_H
#define TAPECAL_NOW_H

#include <time.h>

static inline double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#endif
