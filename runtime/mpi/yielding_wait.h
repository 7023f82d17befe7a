/*
 * Collective calls of the tracer's own that leave the processor to others. The
 * library's blocking calls spin: with more ranks than processors each of their
 * steps then lasts as long as the scheduler lets the ranks spin that have
 * nothing to do.
 *
 *	tape_yielding_wait(PMPI_Ibcast(&x, 1, MPI_INT, 0, comm, &r), &r);
 */
#ifndef TAPE_YIELDING_WAIT_H
#define TAPE_YIELDING_WAIT_H

#include <mpi.h>

/*
 * rc is what the call returned that began *r: waits until it is complete, at
 * first by asking again and again, then asleep in between. Returns rc, or what
 * the wait returned.
 */
int tape_yielding_wait(int rc, MPI_Request *r);

#endif
