/* Start and end of the tracing of an MPI program. */
#ifndef TAPE_START_STOP_H
#define TAPE_START_STOP_H

#include "core.h"

/* The clock, before anything is set up. */
uint64_t tape_start_tick(void);

/*
 * The first call that starts MPI has returned: agrees with the other ranks on
 * the settings and the directory, opens the files, calibrates, samples the
 * clocks, and records the call that ran from start to end. Collective. Never
 * fails: without a trace the program goes on, and one line says why.
 */
void tape_start_tracing(uint64_t start, uint64_t end, uint32_t call,
			struct tape_site *source, const void *address);

/*
 * MPI_Init, or MPI_Session_init, has returned: does the tracing begin with it?
 * It does with the first of them.
 */
int tape_mpi_opened(int session);

/*
 * MPI_Finalize, or MPI_Session_finalize, is about to be called: does the
 * tracing end with it? With MPI_Finalize where it began with MPI_Init, else
 * with the last of all.
 */
int tape_mpi_closing(int session);

/*
 * Makes the last call, real(of), recorded if f is not NULL, and ends the trace.
 * Returns what real returned.
 */
int tape_stop_tracing(struct tape_flow *f, uint32_t site, int (*real)(void *),
		      void *of);

#endif
