/*
 * The clock of timestamps: raw ticks of the time stamp counter where the
 * kernel trusts it as its own clock source (invariant, in step on all cores),
 * else nanoseconds of CLOCK_MONOTONIC_RAW. Ticks are turned into time after
 * the run (reader), with one rate per clock domain.
 */
#ifndef TAPE_CLOCK_H
#define TAPE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "arch.h"

enum tape_clock_source { TAPE_CLOCK_AUTO, TAPE_CLOCK_TSC, TAPE_CLOCK_RAW };

/* 1 when ticks are the TSC's; set once by tape_clock_choose. */
extern int tape_clock_is_tsc;

/* CLOCK_MONOTONIC_RAW, in nanoseconds. */
uint64_t tape_raw_ns(void);

static inline uint64_t tape_tick(void)
{
	if (TAPE_HAS_COUNTER && __builtin_expect(tape_clock_is_tsc, 1))
		return tape_read_counter();
	return tape_raw_ns();
}

/*
 * Chooses the source. Returns 0, or TAPE_ERANGE when the TSC was asked for
 * and the kernel does not trust it (CLOCK_MONOTONIC_RAW is then in use).
 */
int tape_clock_choose(enum tape_clock_source wanted);

/*
 * Reads tick and CLOCK_MONOTONIC_RAW together: *ns belongs to *tick up to
 * *slack ticks. The narrowest of a few tries.
 */
void tape_clock_anchor(uint64_t *tick, uint64_t *ns, uint32_t *slack);

/* An estimate of ticks per second, from about 1 ms. */
double tape_clock_hz(void);

/*
 * Names the clock domain of this process, "source:bootid:timens": processes
 * with the same name read the same clock. At most n bytes with the NUL.
 */
void tape_clock_domain(char *name, unsigned n);

/*
 * How long the machine has been suspended since it booted: what CLOCK_BOOTTIME
 * has counted and CLOCK_MONOTONIC, like the clocks of timestamps, has not; plus
 * a constant in a time namespace. If it grows during a run, the machine slept,
 * and timestamps do not show how long.
 */
int64_t tape_clock_asleep_ns(void);

#endif
