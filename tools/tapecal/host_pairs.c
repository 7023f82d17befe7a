/* Latencies between hosts; see host_pairs.h. */
#include "host_pairs.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "latency_clusters.h"
#include "now.h"
#include "require_memory.h"
#include "sort.h"
#include "tool.h"

enum { TRIPS = 200 };

/*
 * Half of the least round trip with a process, in ns; both processes call it.
 * The answering process returns 0: the next message may have arrived already.
 */
static double min_half_trip(MPI_Comm comm, int with, int begins)
{
	double best = 0;
	char byte = 0;

	for (int i = 0; i < TRIPS; i++) {
		double start = now_ns(), took;

		if (begins)
			MPI_Send(&byte, 1, MPI_CHAR, with, 0, comm);
		MPI_Recv(&byte, 1, MPI_CHAR, with, 0, comm, MPI_STATUS_IGNORE);
		if (!begins)
			MPI_Send(&byte, 1, MPI_CHAR, with, 0, comm);
		took = now_ns() - start;
		if (begins && (!i || took < best))
			best = took;
	}
	return best / 2;
}

/* Measures the latencies of this host to the others. */
static void measure_row(MPI_Comm comm, size_t n, float *row)
{
	size_t rounds = n - 1 + n % 2;
	int rank;

	MPI_Comm_rank(comm, &rank);
	for (size_t k = 0; k < rounds; k++) {
		size_t with = tape_clusters_partner(n, k, (size_t)rank);

		if (with < n)
			row[with] = (float)min_half_trip(comm, (int)with,
							 (size_t)rank < with);
	}
}

static void measure_hosts(struct hosts *h, MPI_Comm comm)
{
	char name[MPI_MAX_PROCESSOR_NAME] = "", mine[100];
	int rank, length;
	float *row = require_memory(calloc(h->n, sizeof *row));

	MPI_Comm_rank(comm, &rank);
	MPI_Get_processor_name(name, &length);
	snprintf(mine, sizeof mine, "%.99s", name);
	if (!rank) {
		h->ns = require_memory(calloc(h->n * h->n, sizeof *h->ns));
		h->name = require_memory(calloc(h->n, sizeof *h->name));
	}
	measure_row(comm, h->n, row);
	MPI_Gather(row, (int)h->n, MPI_FLOAT, h->ns, (int)h->n, MPI_FLOAT, 0,
		   comm);
	MPI_Gather(mine, sizeof mine, MPI_CHAR, h->name, sizeof mine, MPI_CHAR,
		   0, comm);
	free(row);
	for (size_t i = 0; !rank && i < h->n; i++)
		for (size_t k = 0; k < i; k++)
			h->ns[i * h->n + k] = h->ns[k * h->n + i];
}

int hosts_measure(struct hosts *h)
{
	MPI_Comm near, first;
	int rank, on_host, n = 0, rc;

	*h = (struct hosts){0};
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
			    MPI_INFO_NULL, &near);
	MPI_Comm_rank(near, &on_host);
	MPI_Comm_free(&near);
	MPI_Comm_split(MPI_COMM_WORLD, on_host ? MPI_UNDEFINED : 0, rank,
		       &first);
	if (!on_host)
		MPI_Comm_size(first, &n);
	MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	h->n = (size_t)n;
	rc = n > HOSTS_MAX || n < 2 ? -1 : 0;
	if (!on_host) {
		if (!rc)
			measure_hosts(h, first);
		MPI_Comm_free(&first);
	}
	return rc;
}

void hosts_free(struct hosts *h)
{
	free(h->ns);
	free(h->name);
}

/* ---- the file ---- */

static int compare_floats(const void *a, const void *b)
{
	const float *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

/* The number in the name of level l, the widest first: Switch2, Switch1. */
static int level_number(const struct tape_clusters *r, int l)
{
	return r->levels - l;
}

/* Writes the latencies of pairs that share a number of levels. */
static int write_kind(const struct tape_clusters *r, const float *ns,
		      int shared, FILE *out)
{
	size_t n = 0, all = 0;
	float *of;

	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < i; k++)
			all += tape_clusters_shared(r, i, k) == shared;
	if (!all)
		return 0;
	of = malloc(all * sizeof *of);
	if (!of)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < i; k++)
			if (tape_clusters_shared(r, i, k) == shared)
				of[n++] = ns[i * r->n + k];
	tape_sort(of, n, sizeof *of, compare_floats);
	fprintf(out, "# %8zu %8.3f %8.3f %8.3f  ", n, 1e-3 * of[0],
		1e-3 * of[n / 2], 1e-3 * of[n - 1]);
	if (shared)
		fprintf(out, "below one Switch%d\n",
			level_number(r, shared - 1));
	else
		fprintf(out, "%s\n", r->levels ? "below none" : "all");
	free(of);
	return 0;
}

static void write_levels(const struct tape_clusters *r, FILE *out)
{
	fputs("levels", out);
	for (int l = 0; l < r->levels; l++)
		fprintf(out, " Switch%d", level_number(r, l));
	if (r->levels)
		fputs("\ndims", out);
	for (int l = 0; l < r->levels; l++) {
		unsigned most = 0;

		for (size_t i = 0; i < r->n; i++)
			if (r->group[(size_t)l * r->n + i] > most)
				most = r->group[(size_t)l * r->n + i];
		fprintf(out, " %u", most + 1);
	}
	fputc('\n', out);
}

int hosts_write(struct hosts *h, FILE *out)
{
	size_t n = h->n;
	float *room = malloc(n * n * sizeof *room);
	struct tape_clusters r = {0};
	char library[MPI_MAX_LIBRARY_VERSION_STRING];
	int e = TAPE_ENOMEM, unused;

	if (!room)
		return e;
	memcpy(room, h->ns, n * n * sizeof *room);
	e = tape_clusters_find(room, n, &r);
	free(room);
	if (e)
		return e;
	MPI_Get_library_version(library, &unused);
	library[strcspn(library, ",\n")] = '\0';
	fprintf(out,
		"# levels of switches by latency, by tapecal " TAPE_VERSION "\n"
		"# %s\n"
		"# %zu hosts; half of the shortest of %d round trips of a "
		"byte, us:\n"
		"#    pairs    least   median     most\n",
		library, n, TRIPS);
	for (int l = r.levels; l >= 0 && !e; l--)
		e = write_kind(&r, h->ns, l, out);
	if (!r.levels)
		fprintf(out,
			"# no groups of hosts with a gap of %.2f: no "
			"levels\n",
			TAPE_CLUSTERS_GAP);
	write_levels(&r, out);
	for (size_t i = 0; i < n; i++) {
		fputs(h->name[i], out);
		for (int l = 0; l < r.levels; l++)
			fprintf(out, " %u", r.group[(size_t)l * n + i]);
		fputc('\n', out);
	}
	free(r.group);
	return e;
}
