/*
 * Clock sampling by the runtime's own code on a simulated machine (run.sh):
 *each host is a clock domain of its own. Prints how long the phase at the start
 *took, in simulated time, and with -r that at the end, too,
 *
 *	domains D levels L depth P ms T [after T]
 *
 * and leaves the rounds in DIRECTORY/clocks. All clocks are in truth the same.
 *
 *	sampling [-r RANKS] DIRECTORY [ROUNDS [MILLISECONDS [SWITCHES]]]
 *
 * RANKS are on each host, or 1. SWITCHES has a character for each host: the
 *switch that it is below.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* How long it takes, ms of simulated time; after: at the end of the run. */
static double phase(const struct tape_pair *pairs, int n, int after)
{
	double start = MPI_Wtime();

	tape_sample(MPI_COMM_WORLD, pairs, n, 0, after);
	return 1e3 * (MPI_Wtime() - start);
}

int main(int argc, char **argv)
{
	int rank, size, hosts, levels, *domains, *machines, each = 1, both = 0;
	struct tape_pair *pairs;
	const char **switches;
	double before, after;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 3 && !strcmp(argv[1], "-r")) {
		each = atoi(argv[2]);
		both = 1;
		argc -= 2;
		argv += 2;
	}
	if (argc < 2 || each < 1 || size % each)
		MPI_Abort(MPI_COMM_WORLD, 2);
	hosts = size / each;
	snprintf(tape_process.dir, sizeof tape_process.dir, "%s", argv[1]);
	tape_process.config.rounds = argc > 2 ? (uint32_t)atoi(argv[2]) : 300;
	tape_process.config.sample_ms = argc > 3 ? (uint32_t)atoi(argv[3]) : 20;
	domains = malloc((size_t)size * sizeof *domains);
	machines = malloc((size_t)hosts * sizeof *machines);
	pairs = malloc((size_t)hosts * sizeof *pairs);
	switches = malloc((size_t)hosts * sizeof *switches);
	if (!domains || !machines || !pairs || !switches)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < size; i++)
		domains[i] = i / each;
	for (int i = 0; i < hosts; i++)
		machines[i] = i,
		switches[i] = argc > 4 ? switch_of(argv[4], i) : "Cluster";
	levels = tape_sampling_tree(domains, size, machines, switches, hosts, 0,
				    pairs);
	before = phase(pairs, hosts, 0);
	after = both ? phase(pairs, hosts, 1) : 0;
	if (!rank && both)
		printf("domains %d levels %d depth %d ms %.3f after %.3f\n",
		       hosts, levels, tape_sampling_tree_depth(pairs, hosts),
		       before, after);
	else if (!rank)
		printf("domains %d levels %d depth %d ms %.3f\n", hosts, levels,
		       tape_sampling_tree_depth(pairs, hosts), before);
	free(pairs);
	free(domains);
	free(machines);
	free(switches);
	MPI_Finalize();
	return 0;
}
