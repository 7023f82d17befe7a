/*
 * Waits of the tracer that yield the processor. The library's blocking calls
 * spin: with more ranks than processors, each of their steps then lasts as long
 * as the scheduler lets idle ranks spin.
 *
 *	tape_yielding_wait(PMPI_Ibcast(&x, 1, MPI_INT, 0, comm, &r), &r);
 */
#ifndef TAPE_YIELDING_WAIT_H
#define TAPE_YIELDING_WAIT_H

#include <mpi.h>

/*
 * Waits until *r is complete: at first polls, then sleeps between polls. rc is
 * the result of the call that began *r. Returns rc if it is an error, else the
 * result of the wait.
 */
int tape_yielding_wait(int rc, MPI_Request *r);

/* Returns the least ok of all ranks of comm: 1 if all have 1. Collective. */
int tape_is_ok_everywhere(int ok, MPI_Comm comm);

#endif
