/* Start and end of the tracing of an MPI program. */
#ifndef TAPE_LIFE_H
#define TAPE_LIFE_H

#include "core.h"

/* The clock, before anything is set up. */
uint64_t tape_life_tick(void);

/*
 * MPI_Init has returned: agrees with the other ranks on the settings and the
 * directory, opens the files, calibrates, samples the clocks, and records the
 * call that ran from start to end. Collective. Never fails: without a trace
 * the program goes on, and one line says why.
 */
void tape_life_start(uint64_t start, uint64_t end, uint32_t call,
		     struct tape_site *source, const void *address);

/*
 * Does MPI_Finalize by calling real, recorded if f is not NULL, and ends the
 * trace. Returns what real returned.
 */
int tape_life_finalize(struct tape_flow *f, uint32_t site, int (*real)(void));

#endif
