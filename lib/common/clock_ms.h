/* Time for deadlines and pauses. */
#ifndef TAPE_CLOCK_MS_H
#define TAPE_CLOCK_MS_H

#include <stdint.h>
#include <time.h>

/* Returns milliseconds of CLOCK_MONOTONIC, which nobody sets. */
static inline int64_t tape_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
