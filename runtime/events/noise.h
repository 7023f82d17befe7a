/*
 * Random delays after calls (setting noise): they change which of several
 * messages comes first. There is none before a call, which may already have
 * asked whether its message is there. A delay is drawn from the seed, the rank,
 * the thread and the number of the call, so that another run draws the same.
 */
#ifndef TAPE_NOISE_H
#define TAPE_NOISE_H

#include "core.h"
#include "hash_bits.h"

/* In one of so many stretches of so many calls a rank delays each call. */
enum { TAPE_NOISE_SLOW = 16, TAPE_NOISE_STRETCH = 64 };

/*
 * Draws the delay after a call, ns: from 0 to just below twice the mean, each
 * as probable. Returns 0 for calls that are not delayed: all but percent % of
 * the calls of a stretch that is not slow. call: number of the call in its
 * thread among those that may be delayed. Bits by splitmix64 (Steele and others
 * 2014).
 */
static inline uint64_t tape_noise_draw(const struct tape_noise *n, int rank,
				       int thread, uint64_t call)
{
	uint64_t own = tape_scramble_bits(n->seed + TAPE_GOLDEN), stretch, x;

	own = tape_scramble_bits(own + (uint64_t)rank);
	own = tape_scramble_bits(own + (uint64_t)thread);
	stretch = tape_scramble_bits(~own + call / TAPE_NOISE_STRETCH);
	x = tape_scramble_bits(own + call);
	if (stretch % TAPE_NOISE_SLOW &&
	    (x & UINT32_MAX) * 100 >= (uint64_t)n->percent << 32)
		return 0;
	return (x >> 32) * n->mean_us * 2000 >> 32;
}

/*
 * Waits for as long as the setting says after a call of f, of that class:
 * spins, and yields the processor if the delay is long. Classes that do not
 * communicate, and tests, of which the number varies between runs, are
 * neither counted nor delayed; nor is the calibration. Returns 1 if the call is
 * delayed. errno stays.
 */
int tape_noise_wait(struct tape_flow *f, int class_);

#endif
