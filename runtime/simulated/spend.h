/*
 * What happens around a call in simulated time: the program's computation
 * before it is spent, and what Tape's own work takes is not counted.
 */
#ifndef TAPE_SMPI_SPEND_H
#define TAPE_SMPI_SPEND_H

#include "core.h"

/* SMPI's measurement of the program's computation; not in mpi.h. */
void smpi_bench_begin(void);
void smpi_bench_end(void);

/* SMPI measures (smpi/simulate-computation). */
extern int tape_smpi_measures;

/* It measures a block of SMPI_SAMPLE_LOCAL or its like (sample.c). */
extern int tape_smpi_samples;

/* The call of the wrapper in progress: TAPE_CALL_... */
extern uint32_t tape_smpi_call;

/*
 * At the entry of a wrapper: what SMPI has measured so far was the program's
 * and passes now, before the call is dated. It measures anew from here on, so a
 * entry point may leave the call to the library at once.
 */
static inline void tape_smpi_arrive(void)
{
	if (tape_smpi_measures && tape_current && !tape_smpi_samples) {
		smpi_bench_end();
		smpi_bench_begin();
	}
}

/* What was measured since is Tape's: it is forgotten. */
static inline void tape_smpi_forget(void)
{
	if (tape_smpi_measures && !tape_smpi_samples)
		smpi_bench_begin();
}

/*
 * The bursts of computation of an earlier run of the same program (bursts.c).
 * Those of this rank are opened if TAPE_BURSTS names their folder. -1: they
 * cannot be read, which is said.
 */
int tape_smpi_bursts_open(void);

/*
 * Spends the burst before the next event, which is tape_smpi_call. Ends the
 * simulation with one sentence where the earlier run made another call.
 */
void tape_smpi_burst(void);
extern int tape_smpi_has_bursts;

/*
 * A rig may let the tracer cost simulated time: from the entry point to the
 * call, and after the call; and what is noted with the event (in ticks, which
 * have passed).
 */
#ifdef TAPE_RIG_COSTS
void tape_rig_before(void);
void tape_rig_after(void);
uint64_t tape_rig_extra(void);
#else
static inline void tape_rig_before(void)
{
}

static inline void tape_rig_after(void)
{
}

static inline uint64_t tape_rig_extra(void)
{
	return 0;
}
#endif

#endif
