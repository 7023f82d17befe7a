/*
 * One phase of clock sampling by the runtime's own code on a simulated machine
 * (run.sh): each rank is a host, a clock domain of its own. Prints how long the
 * phase took, in simulated time,
 *
 *	domains D levels L depth P ms T
 *
 * and leaves the rounds in DIRECTORY/clocks. All clocks are in truth the same.
 *
 *	sampling DIRECTORY [ROUNDS [MILLISECONDS [SWITCHES]]]
 *
 * SWITCHES has a character for each rank: the switch that its host is below.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "sample.h"
#include "sink.h"

/* What the sampling needs of the rest of the runtime. */
struct tape_process tape_process;

int tape_sink_open(const char *name, int flags)
{
	return tape_file_open(tape_process.dir, name, flags);
}

void tape_sink_file(enum tape_frame_kind kind, int fd, uint64_t from,
		    uint64_t at)
{
	(void)kind, (void)fd, (void)from, (void)at;
}

/* The switch of rank i, by that word. */
static const char *switch_of(const char *word, int i)
{
	static char name[128][16];
	int c = word[i] & 127;

	snprintf(name[c], sizeof name[c], "Cluster/S:%d", c);
	return name[c];
}

int main(int argc, char **argv)
{
	int rank, size, levels, *number;
	struct tape_pair *pairs;
	const char **switches;
	double start;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	snprintf(tape_process.dir, sizeof tape_process.dir, "%s", argv[1]);
	tape_process.config.rounds = argc > 2 ? (uint32_t)atoi(argv[2]) : 300;
	tape_process.config.sample_ms = argc > 3 ? (uint32_t)atoi(argv[3]) : 20;
	number = malloc((size_t)size * sizeof *number);
	pairs = malloc((size_t)size * sizeof *pairs);
	switches = malloc((size_t)size * sizeof *switches);
	if (!number || !pairs || !switches)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < size; i++)
		number[i] = i,
		switches[i] = argc > 4 ? switch_of(argv[4], i) : "Cluster";
	levels = tape_tree(number, size, number, switches, size, 0, pairs);
	start = MPI_Wtime();
	tape_sample(MPI_COMM_WORLD, pairs, size, 0, 0);
	if (!rank)
		printf("domains %d levels %d depth %d ms %.3f\n", size, levels,
		       tape_tree_depth(pairs, size),
		       1e3 * (MPI_Wtime() - start));
	free(pairs);
	free(number);
	MPI_Finalize();
	return 0;
}
