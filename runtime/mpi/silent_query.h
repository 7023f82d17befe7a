/*
 * With MPICH, a query of a failed request raises the request's error. The
 * program must get that error once, from its own call. Tape sets no error
 * handler on a communicator of the program: most have none in MPICH, and use
 * the handler that MPI_COMM_WORLD has when an error happens. A handler that was
 * set cannot be removed again.
 *
 * So Tape intercepts the error: the library passes each error to
 * MPIR_Err_return_comm, which calls the handler. The library for C exports this
 * function for the Fortran library. The dynamic linker finds Tape's definition
 * first, which forwards all errors but that of Tape's own query.
 */
#ifndef TAPE_SILENT_QUERY_H
#define TAPE_SILENT_QUERY_H

#include <mpi.h>

#ifdef OPEN_MPI

/* A query in Open MPI raises no error. */
static inline void tape_silent_query_test(MPI_Comm own)
{
	(void)own;
}

#else

/*
 * Tests whether Tape's MPIR_Err_return_comm is called, by raising an error on
 * own: Tape's communicator, whose handler is MPI_ERRORS_RETURN.
 */
void tape_silent_query_test(MPI_Comm own);

/*
 * PMPI_Request_get_status without a call of the error handler. Returns 1 if the
 * request is complete, also with an error; 0 if not; 2 if errors cannot be
 * intercepted in this library, so that a query is not safe.
 */
unsigned tape_silent_query_status(MPI_Request request, MPI_Status *status);

#endif
#endif
