/* Who calibrates; see share_calibration.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "cost.h"
#include "define.h"
#include "next.h"
#include "own_stack.h"
#include "yielding_wait.h"
#include "share_calibration.h"

/* In MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

enum { TAG = 3, TEXT_BYTES = 6144 };

static int measure_costs(struct tape_flow *f)
{
	if (!f || tape_cost_begin_scratch(f))
		return -1;
	tape_next_bypass_layers(1);
	tape_calibrate(f);
	tape_next_bypass_layers(0);
	tape_cost_end_scratch(f);
	return 0;
}

/* Measures, and sends what that came to to every p-th rank of the host. */
static void send_costs(struct tape_flow *f, MPI_Comm comm, const int *domains,
		       int place, int p, char *text)
{
	int me = tape_process.rank, k = 0;
	MPI_Request r;

	memset(text, 0, TEXT_BYTES);
	tape_define_copy(text, TEXT_BYTES);
	if (measure_costs(f) | tape_define_copy(NULL, 0))
		*text = '\0';
	for (int to = 0; to < tape_process.size; to++)
		if (domains[to] == domains[me] && k++ >= p &&
		    (k - 1) % p == place)
			tape_yielding_wait(PMPI_Isend(text, TEXT_BYTES,
						      MPI_CHAR, to, TAG, comm,
						      &r),
					   &r);
}

static void receive_costs(struct tape_flow *f, MPI_Comm comm, int from,
			  char *text)
{
	MPI_Request r;

	*text = '\0';
	tape_yielding_wait(
	    PMPI_Irecv(text, TEXT_BYTES, MPI_CHAR, from, TAG, comm, &r), &r);
	text[TEXT_BYTES - 1] = '\0';
	if (!f)
		return;
	if (*text)
		tape_define("calibrated_by %d\n%s", from, text);
	else
		measure_costs(f);
}

/* The rank that is the k-th of those of that domain. */
static int find_kth_rank(const int *domains, int domain, int k)
{
	int rank = 0;

	while (domains[rank] != domain || k--)
		rank++;
	return rank;
}

void tape_share_calibration(struct tape_flow *f, MPI_Comm comm,
			    const int *domains)
{
	/* the same for all ranks of a host, however they are bound */
	long p = sysconf(_SC_NPROCESSORS_CONF);
	int me = tape_process.rank, n = 0, place = 0;
	static char text[TEXT_BYTES];

	for (int r = 0; r < tape_process.size; r++) {
		place += r < me && domains[r] == domains[me];
		n += domains[r] == domains[me];
	}
	if (p < 1 || n <= p)
		measure_costs(f);
	else if (place < p)
		send_costs(f, comm, domains, place, (int)p, text);
	else
		receive_costs(
		    f, comm,
		    find_kth_rank(domains, domains[me], place % (int)p), text);
}
TAPE_ON_OWN_STACK_END
