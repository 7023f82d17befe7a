/*
 * tapecal: measures how long messages take between the processes of an MPI
 * job, and writes a model file for tico -m. Process 0 exchanges messages with
 * itself, with another process of its host, and with one of another host;
 * measure.c does that, facts.c makes the file of it.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"
#include "machine.h"
#include "tool.h"

static const char usage[] = "tapecal [-hV]";

/* A partner of process 0 at each distance; -1: there is none. */
static void find_partners(int *partner)
{
	int rank, size, *host, leader;
	MPI_Comm near;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	partner[TAPE_SELF] = 0;
	partner[TAPE_SHM] = partner[TAPE_NET] = -1;
	host = malloc((size_t)size * sizeof *host);
	if (!host)
		MPI_Abort(MPI_COMM_WORLD, TAPE_FAILED);
	/* a host is known by the least of its ranks */
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
			    MPI_INFO_NULL, &near);
	leader = rank;
	MPI_Bcast(&leader, 1, MPI_INT, 0, near);
	MPI_Comm_free(&near);
	MPI_Allgather(&leader, 1, MPI_INT, host, 1, MPI_INT, MPI_COMM_WORLD);
	for (int r = size - 1; r > 0; r--)
		partner[host[r] == host[0] ? TAPE_SHM : TAPE_NET] = r;
	free(host);
}

/* The others keep off the processors while two are measured. */
static void rest(void)
{
	MPI_Request r;
	int over = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &r);
	while (!over) {
		MPI_Test(&r, &over, MPI_STATUS_IGNORE);
		if (!over)
			usleep(1000);
	}
}

/* Only on a terminal. */
static void progress(enum tape_distance d, int64_t bytes, int done)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K");
	if (!done)
		fprintf(stderr, "tapecal: %s %lld bytes",
			tape_distance_name[d], (long long)bytes);
}

/* Batches of a size that never settles. */
enum { SWEEPS = 10 };

/* So many empty messages there and back take longer than one of size k. */
static int exchanges(const struct facts *f, int k)
{
	double times = f->eager[k].median / fmax(f->eager[0].median, 1);

	return 1 + (int)fmin(times, 1000);
}

static void measure_all(const struct link *l, struct facts *f)
{
	memset(f->eager, 0, sizeof f->eager);
	memset(f->dc, 0, sizeof f->dc);
	memset(f->rendezvous, 0, sizeof f->rendezvous);
	f->limit_bytes = measure_limit(l);
	for (int i = 0; i < SWEEPS * FACTS_SIZES; i++) {
		int k = i % FACTS_SIZES;
		int64_t bytes = facts_size(k);
		int eager = bytes <= f->limit_bytes;

		if (bytes < 0)
			continue;
		progress(f->distance, bytes, 0);
		if (eager) {
			measure(l, MEASURE_SEND, bytes, 0, &f->eager[k]);
			measure(l, MEASURE_HAND_OVER, bytes, exchanges(f, k),
				&f->dc[k]);
		}
		measure(l, eager ? MEASURE_SSEND : MEASURE_SEND, bytes, 0,
			&f->rendezvous[k]);
	}
	progress(f->distance, 0, 1);
}

/* Who measured what; the version of a library may have several lines. */
static void write_head(void)
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING];
	char host[MPI_MAX_PROCESSOR_NAME];
	int n, size;

	MPI_Get_library_version(library, &n);
	library[strcspn(library, ",\n")] = '\0';
	MPI_Get_processor_name(host, &n);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("# model of a machine for tico -m, by tapecal " TAPE_VERSION "\n"
	       "# %.100s\n# %d processes, the first on %.100s\n", library,
	       size, host);
}

/* What process 0 knows in the end is on standard output. */
static int calibrate(void)
{
	int partner[TAPE_DISTANCES], rank, rc = 0;
	struct station *s = measure_begin();
	struct facts *f = malloc(sizeof *f);

	if (!s || !f) {
		tape_warn("out of memory");
		MPI_Abort(MPI_COMM_WORLD, TAPE_FAILED);
		return -1;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	find_partners(partner);
	if (!rank)
		write_head();
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		struct link l = { 0, partner[d], s };

		if (l.second < 0)
			continue;
		f->distance = (enum tape_distance)d;
		if (rank == l.first || rank == l.second)
			measure_all(&l, f);
		rest();
		if (!rank)
			rc |= facts_write(f, stdout);
	}
	free(f);
	measure_end(s);
	return rc;
}

int main(int argc, char **argv)
{
	int size, rank, rc, c;

	tape_tool("tapecal");
	while ((c = getopt(argc, argv, "hV")) != -1)
		tape_usage(c, usage);
	if (optind < argc)
		tape_usage('?', usage);
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (size < 2) {
		tape_warn("it takes two processes: mpirun -np 2 tapecal");
		MPI_Finalize();
		return TAPE_USAGE;
	}
	rc = calibrate();
	if (fflush(stdout) || ferror(stdout))
		rc = -1;
	if (rc)
		tape_warn("the model could not be written");
	MPI_Finalize();
	return rc ? TAPE_FAILED : TAPE_DONE;
}
