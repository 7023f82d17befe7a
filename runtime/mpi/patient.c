/* Waits that leave the processor to others; see patient.h. */
#include <stdlib.h>
#include <time.h>

#include "own_stack.h"
#include "patient.h"
#include "say.h"
#include "ticks.h"

/* At the start and the end of a run, on a stack that is large enough. */
TAPE_APART_ONLY

/* Asks so long without a pause: what takes no longer does not wait for it. */
enum { EAGER_NS = 20000, PAUSE_NS = 20000 };
/* Who has not come by then may never come. */
static const uint64_t HINT_NS = 10000000000;

/* Of the ranks that one command started, mpirun ... : ..., the first; all of
 * them where the launcher does not say. */
static int is_first_of_command(void)
{
	const char *ranks = getenv("OMPI_APP_CTX_NUM_PROCS");
	int rank = 0, found = !ranks;
	long first = 0;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	while (ranks && !found) {
		char *end;
		long n = strtol(ranks, &end, 10);

		if (end == ranks)
			break;
		found = first == rank;
		first += n;
		ranks = end;
	}
	return found;
}

/* Processes that are not traced never meet the others at the start. */
static void hint(void)
{
	if (is_first_of_command())
		tape_say("waiting for all processes of this job: each has to "
			 "run under taperun, or none");
}

int tape_patient(int rc, MPI_Request *r)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint64_t start = tape_raw_ns(), waited;
	int done = 0, hinted = !tape_process.starting;

	if (rc != MPI_SUCCESS)
		return rc;
	while ((rc = PMPI_Test(r, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS &&
	       !done) {
		waited = tape_raw_ns() - start;
		if (waited > EAGER_NS)
			nanosleep(&pause, NULL);
		if (waited > HINT_NS && !hinted) {
			hint();
			hinted = 1;
		}
	}
	return rc;
}
TAPE_APART_END
