/*
 * tapecal: measures how long messages take between the processes of an MPI
 * job, and writes a model file for tico -m, a platform for SimGrid, or the
 * levels of switches (host_pairs.c). For the first two, process 0 exchanges
 * messages with itself and, as peers.c finds them, with another process of its
 * host and with one of another host, of each distance one; measure.c and
 * bounce.c do that, distance_model.c and simgrid_platform.c make the file of
 * it.
 */
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "distance_model.h"
#include "file_output.h"
#include "machine.h"
#include "program_options.h"
#include "simgrid_platform.h"
#include "host_pairs.h"
#include "peers.h"
#include "require_memory.h"
#include "tool.h"

/* Keeps other processes off the processors while two are measured. */
static void wait_idle(void)
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

/* Shows the progress on a terminal. */
static void show_progress(enum tape_distance d, int64_t bytes, int done)
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

/* A number of empty round trips that takes longer than a message of size k. */
static int exchange_count(const struct distance_model *f, int k)
{
	double times = f->eager[k].median / fmax(f->eager[0].median, 1);

	return 1 + (int)fmin(times, 1000);
}

static void measure_all(const struct link *l, struct distance_model *f)
{
	memset(f->eager, 0, sizeof f->eager);
	memset(f->dc, 0, sizeof f->dc);
	memset(f->rendezvous, 0, sizeof f->rendezvous);
	f->limit_bytes = measure_limit(l);
	for (int i = 0; i < SWEEPS * DISTANCE_MODEL_SIZES; i++) {
		int k = i % DISTANCE_MODEL_SIZES;
		int64_t bytes = distance_model_size(k);
		int eager = bytes <= f->limit_bytes;

		if (bytes < 0)
			continue;
		show_progress(f->distance, bytes, 0);
		if (eager) {
			measure_batch(l, MEASURE_SEND, bytes, 0, &f->eager[k]);
			measure_batch(l, MEASURE_HAND_OVER, bytes,
				      exchange_count(f, k), &f->dc[k]);
		}
		measure_batch(l, eager ? MEASURE_SSEND : MEASURE_SEND, bytes, 0,
			      &f->rendezvous[k]);
	}
	show_progress(f->distance, 0, 1);
}

/* Names of the library, whose version may have several lines, and the host. */
static void find_names(char library[100], char host[100])
{
	char all[MPI_MAX_LIBRARY_VERSION_STRING];
	char name[MPI_MAX_PROCESSOR_NAME];
	int unused;

	MPI_Get_library_version(all, &unused);
	all[strcspn(all, ",\n")] = '\0';
	MPI_Get_processor_name(name, &unused);
	snprintf(library, 100, "%.99s", all);
	snprintf(host, 100, "%.99s", name);
}

static void write_head(FILE *out)
{
	char library[100], host[100];
	int size;

	find_names(library, host);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	fprintf(out,
		"# model of a machine for tico -m, by tapecal " TAPE_VERSION
		"\n# %s\n# %d processes, the first on %s\n", library, size,
		host);
}

/* The file for tico; process 0 writes it. */
static int write_model(struct station *s, const struct peers *x, FILE *out)
{
	int rank, rc = 0;
	struct distance_model *f = require_memory(malloc(sizeof *f));

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!rank)
		write_head(out);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		struct link l = {0, x->at[d], s};

		if (l.second < 0)
			continue;
		f->distance = (enum tape_distance)d;
		if (rank == l.first || rank == l.second)
			measure_all(&l, f);
		wait_idle();
		if (!rank)
			rc |= distance_model_write(f, out);
	}
	free(f);
	return rc;
}

/* The file for SimGrid; process 0 writes it. */
static int write_platform(struct station *s, const struct peers *x, FILE *out)
{
	int rank, rc = 0;
	struct simgrid g = {.cores = (int)sysconf(_SC_NPROCESSORS_ONLN),
			    .hosts = x->hosts};
	struct sweep *sweep[2] = { NULL, NULL };

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	find_names(g.library, g.host);
	for (int i = 0; i < 2; i++) {
		struct link l = {0, i ? x->net : x->shm, s};

		if (l.second < 0)
			continue;
		sweep[i] = require_memory(malloc(sizeof *sweep[i]));
		if (rank == l.first || rank == l.second)
			sweep_measure(&l, sweep[i]);
		wait_idle();
	}
	g.shm = sweep[0];
	g.net = sweep[1];
	if (!rank) {
		measure_idle(s, &g.idle);
		rc = simgrid_write(&g, out);
	}
	free(sweep[0]);
	free(sweep[1]);
	return rc;
}

/* The file of levels; process 0 writes it. */
static int write_network(FILE *out)
{
	struct hosts h;
	int rank, rc = hosts_measure(&h);

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rc && !rank && h.n < 2)
		tape_warn("all processes are on one host");
	else if (rc && !rank)
		tape_warn("more than %d hosts", HOSTS_MAX);
	wait_idle();
	if (!rc && !rank && (rc = hosts_write(&h, out)))
		tape_warn("%s", tape_error_text(rc));
	hosts_free(&h);
	return rc;
}

struct options {
	int simgrid, network;
	const char *output;
};

static void parse_tapecal_options(int argc, char **argv, struct options *x)
{
	int c;

	*x = (struct options){ .output = "-" };
	while ((c = tape_option_next("tapecal", argc, argv)) != -1)
		if (c == 'o')
			x->output = optarg;
		else if (c == 'n')
			x->network = 1;
		else if (c == 's')
			x->simgrid = 1;
		else
			tape_option_refuse("tapecal", c);
	if (optind < argc || (x->network && x->simgrid))
		tape_option_usage("tapecal");
}

/* Called by all processes; out is open in process 0 only. */
static int run_calibration(const struct options *x, const struct peers *p,
			   FILE *out)
{
	struct station *s;
	int rc;

	if (x->network)
		return write_network(out);
	s = require_memory(measure_begin());
	rc = x->simgrid ? write_platform(s, p, out) : write_model(s, p, out);

	measure_end(s);
	if (rc)
		tape_warn("%s", tape_error_text(TAPE_ENOMEM));
	return rc;
}

/* Process 0 opens its output before anything is measured. */
int main(int argc, char **argv)
{
	struct peers p;
	struct options x;
	int size, rank, rc;
	FILE *out = NULL;

	tape_tool("tapecal");
	parse_tapecal_options(argc, argv, &x);
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (size < 2) {
		tape_warn("two processes are needed: mpirun -np 2 tapecal");
		MPI_Finalize();
		return TAPE_USAGE;
	}
	peers_find(&p);
	if (!rank)
		out = tape_file_begin(x.output);
	rc = run_calibration(&x, &p, out);
	if (!rc && !rank)
		tape_file_commit();
	MPI_Finalize();
	return rc ? TAPE_FAILED : TAPE_DONE;
}
