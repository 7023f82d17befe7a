/*
 * With MPICH, a question about a request that has failed raises the request's
 * error. The program is to hear of that error once, from its own call. And
 * Tape sets no error handler on a communicator of the program: most have none
 * in MPICH, and use that of MPI_COMM_WORLD as it is when an error happens; a
 * handler that was set cannot be taken back to none.
 *
 * So errors are stopped on their way: the library hands each to
 * MPIR_Err_return_comm, which calls the handler. The library for C exports this
 * function to that for Fortran. Its name is looked up when the program is
 * loaded, and Tape's definition is found first: it hands on all errors, but not
 * that of Tape's own question.
 */
#ifndef TAPE_SILENT_QUERY_H
#define TAPE_SILENT_QUERY_H

#include <mpi.h>

#ifdef OPEN_MPI

/* Its question raises nothing. */
static inline void tape_silent_query_test(MPI_Comm own)
{
	(void)own;
}

#else

/*
 * Finds out whether errors come by, with one on own: Tape's communicator, whose
 * handler is MPI_ERRORS_RETURN.
 */
void tape_silent_query_test(MPI_Comm own);

/*
 * PMPI_Request_get_status, whose error no handler hears. Returns 1 if the
 * request is complete, be it with an error; 0 if not; 2 if this library calls
 * its handlers in another way, so that nothing may be asked.
 */
unsigned tape_silent_query_status(MPI_Request request);

#endif
#endif
