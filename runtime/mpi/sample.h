/*
 * Clock sampling: rounds of messages between one rank of each clock domain and
 * one of the domain above it in the tree (sampling_tree.h), before and after
 * the run.
 */
#ifndef TAPE_SAMPLE_H
#define TAPE_SAMPLE_H

#include <mpi.h>

#include "sampling_tree.h"

/*
 * Samples the clocks once. Collective over comm. pairs is the result of
 * tape_sampling_tree. The reference gathers all rounds and appends them to the
 * file clocks of the trace directory; if that fails, they are dropped. With one
 * domain it does nothing.
 *
 * A pair takes at most the settings' rounds and sample_ms. It ends earlier
 * when more rounds would not improve the result: see has_settled() in sample.c.
 * Ranks without a pair sleep meanwhile.
 */
void tape_sample(MPI_Comm comm, const struct tape_pair *pairs, int n_domains,
		 int reference, int after);

#endif
