/* Waits that leave the processor to others; see yielding_wait.h. */
#include <time.h>

#include "core.h"
#include "own_stack.h"
#include "yielding_wait.h"
#include "ticks.h"

/* At the start and the end of a run, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* Asks so long without a pause: what takes no longer does not wait for it. */
enum { EAGER_NS = 20000, PAUSE_NS = 20000 };

int tape_yielding_wait(int rc, MPI_Request *r)
{
	const struct timespec pause = {0, PAUSE_NS};
	uint64_t start = tape_raw_ns();
	int done = 0;

	if (rc != MPI_SUCCESS)
		return rc;
	/* it is complete, and MPICH's sessions of one process cannot test */
	if (tape_process.size == 1)
		return PMPI_Wait(r, MPI_STATUS_IGNORE);
	while ((rc = PMPI_Test(r, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS &&
	       !done)
		if (tape_raw_ns() - start > EAGER_NS)
			nanosleep(&pause, NULL);
	return rc;
}

int tape_is_ok_everywhere(int ok, MPI_Comm comm)
{
	MPI_Request r;

	tape_yielding_wait(
	    PMPI_Iallreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, comm, &r),
	    &r);
	return ok;
}
TAPE_ON_OWN_STACK_END
