/* Start and end of the tracing of an MPI program. */
#ifndef TAPE_START_STOP_H
#define TAPE_START_STOP_H

#include "core.h"

/* Reads the clock before the tracing starts; chooses a clock at first. */
uint64_t tape_start_tick(void);

/*
 * Starts the tracing after the first call that starts MPI has returned: agrees
 * with the other ranks on the settings and the directory, opens the files,
 * calibrates, samples the clocks, and records the call, which ran from start to
 * end. Collective. Never fails: without a trace the program continues, and one
 * line reports why.
 */
void tape_start_tracing(uint64_t start, uint64_t end, uint32_t call,
			struct tape_site *source, const void *address);

/*
 * Called after MPI_Init or MPI_Session_init: returns 1 if this call starts the
 * tracing, which is the first of them.
 */
int tape_mpi_opened(int session);

/*
 * Called before MPI_Finalize or MPI_Session_finalize: returns 1 if this call
 * ends the tracing. Tracing that began with MPI_Init ends with MPI_Finalize;
 * else it ends with the last of these calls.
 */
int tape_mpi_closing(int session);

/*
 * Makes the last call, real(of), records it if f is not NULL, and ends the
 * trace. Returns the result of real.
 */
int tape_stop_tracing(struct tape_flow *f, uint32_t site, int (*real)(void *),
		      void *of);

#endif
