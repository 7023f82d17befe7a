/*
 * Clock sampling: rounds of messages between the reference rank and one rank
 * of each other clock domain, before and after the run.
 */
#ifndef TAPE_SAMPLE_H
#define TAPE_SAMPLE_H

#include <mpi.h>

/*
 * Collective on comm. domains[r] is the clock domain of rank r; domain 0 is
 * the reference's. The lowest rank of each domain answers for it. The
 * reference appends the rounds to the file clocks of the trace directory; a
 * failure to write drops them. With one domain it does nothing.
 */
void tape_sample(MPI_Comm comm, const int *domains, int n_domains,
		 int reference, int after);

#endif
