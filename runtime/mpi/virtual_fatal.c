/*
 * Errors that are fatal, with MPICH; virtual.h. Where a communicator is not
 * MPI_COMM_WORLD it asks the other processes to exit by themselves, and what
 * mpirun returns is a race between their status and SIGKILL. So in place of
 * MPI_ERRORS_ARE_FATAL the real world has a function that ends the whole job,
 * as an error on MPI_COMM_WORLD does, and so has the partition once the program
 * sets that handler. The program never sees it.
 */
#include <stdio.h>

#include "virtual.h"

#ifndef OPEN_MPI

static MPI_Errhandler ours = MPI_ERRHANDLER_NULL;

static void abort_job(MPI_Comm *comm, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int n, rank = 0;

	PMPI_Comm_rank(*comm, &rank);
	PMPI_Error_string(*code, text, &n);
	fprintf(stderr, "Abort(%d) on rank %d: Fatal error: %s\n", *code, rank,
		text);
	PMPI_Abort(MPI_COMM_WORLD, *code);
}

MPI_Errhandler tape_virtual_fatal(MPI_Errhandler handler)
{
	if (handler != MPI_ERRORS_ARE_FATAL)
		return handler;
	if (ours == MPI_ERRHANDLER_NULL &&
	    PMPI_Comm_create_errhandler(abort_job, &ours) != MPI_SUCCESS)
		return handler;
	return ours;
}

/* Communicators without a handler have that of the real world. */
void tape_virtual_begin_fatal(void)
{
	MPI_Errhandler handler = MPI_ERRORS_RETURN;

	PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
	if (handler == MPI_ERRORS_ARE_FATAL)
		PMPI_Comm_set_errhandler(MPI_COMM_WORLD,
					 tape_virtual_fatal(handler));
	else if (handler != MPI_ERRORS_RETURN)
		PMPI_Errhandler_free(&handler);
}

MPI_Errhandler tape_virtual_seen(MPI_Errhandler handler)
{
	MPI_Errhandler counted = handler;

	if (ours == MPI_ERRHANDLER_NULL || handler != ours)
		return handler;
	PMPI_Errhandler_free(&counted);
	return MPI_ERRORS_ARE_FATAL;
}

#endif
