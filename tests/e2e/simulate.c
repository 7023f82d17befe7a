/*
 * simulate WHAT: a small program of a known course. No part of it computes but
 * by SimGrid's macros, or where it is said.
 *
 *	pingpong BYTES ROUNDS    between the first two ranks
 *	delay                    rank R computes R + 1 ms, by SMPI_SAMPLE_DELAY
 *	sample                   a loop of 20 rounds, of which 2 are run
 *	shared BYTES             a buffer that all ranks have together
 *	truncate HANDLED         rank 1 has too little room for a message
 *	compute ROUNDS           real work of unequal length between sums
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef SMPI_SAMPLE_DELAY /* a real MPI: compute only */
#define SMPI_SAMPLE_DELAY(duration)
#define SMPI_SAMPLE_LOCAL(a, b, c, d, e) for (a; b; c)
#define SMPI_SHARED_MALLOC(n) malloc(n)
#define SMPI_SHARED_FREE(p) free(p)
#endif
#define W MPI_COMM_WORLD

static int rank, size, run;

static void pingpong(int bytes, int rounds)
{
	char *data = calloc((size_t)bytes + 1, 1);

	for (int i = 0; i < rounds && rank < 2; i++) {
		if (rank == i % 2)
			MPI_Send(data, bytes, MPI_BYTE, !rank, 1, W);
		else
			MPI_Recv(data, bytes, MPI_BYTE, !rank, 1, W,
				 MPI_STATUS_IGNORE);
	}
	free(data);
}

static void delay(void)
{
	SMPI_SAMPLE_DELAY((rank + 1) * 1e-3);
	MPI_Barrier(W);
}

static void work(int n)
{
	static volatile double x;

	for (int i = 0; i < n; i++)
		x = x * 0.999 + 1;
}

static void sample(void)
{
	int sum;

	SMPI_SAMPLE_LOCAL (int i = 0, i < 20, i++, 2, -1) {
		MPI_Comm_rank(W, &rank); /* not more than such calls */
		work(200000);
		run++;
	}
	MPI_Reduce(&run, &sum, 1, MPI_INT, MPI_SUM, 0, W);
	if (!rank)
		printf("run %d\n", sum);
}

/* MiB that this process has, of all ranks; what is mapped twice counts once. */
static long memory(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[200];
	long kib = -1;

	while (f && kib < 0 && fgets(line, sizeof line, f))
		sscanf(line, "Pss: %ld", &kib);
	if (f)
		fclose(f);
	return kib >> 10;
}

static void shared(size_t bytes)
{
	char *data = SMPI_SHARED_MALLOC(bytes);

	if (!data)
		exit(1);
	memset(data, rank, bytes);
	MPI_Bcast(data, 1000, MPI_BYTE, 0, W);
	if (!rank)
		printf("MiB %ld\n", memory());
	SMPI_SHARED_FREE(data);
}

static void truncate_it(int handled)
{
	char data[8] = "";
	int rc = MPI_SUCCESS, of = MPI_SUCCESS;

	if (handled)
		MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
	if (rank == 0)
		MPI_Send(data, 8, MPI_CHAR, 1, 0, W);
	else if (rank == 1)
		rc = MPI_Recv(data, 4, MPI_CHAR, 0, 0, W, MPI_STATUS_IGNORE);
	MPI_Error_class(rc, &of);
	printf("error %d %d\n", rank, of == MPI_ERR_TRUNCATE);
}

static void compute(int rounds)
{
	double x = 0, sum;

	for (int i = 0; i < rounds; i++) {
		work(20000 * (rank + 1) * (1 + i % 3));
		MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, W);
		MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 0, &sum, 1,
			     MPI_DOUBLE, (rank + size - 1) % size, 0, W,
			     MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int a = argc > 2 ? atoi(argv[2]) : 0, b = argc > 3 ? atoi(argv[3]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &rank);
	MPI_Comm_size(W, &size);
	if (!strcmp(what, "pingpong"))
		pingpong(a, b);
	else if (!strcmp(what, "delay"))
		delay();
	else if (!strcmp(what, "sample"))
		sample();
	else if (!strcmp(what, "shared"))
		shared((size_t)a);
	else if (!strcmp(what, "truncate"))
		truncate_it(a);
	else if (!strcmp(what, "compute"))
		compute(a);
	printf("end %d %.12f\n", rank, MPI_Wtime());
	MPI_Finalize();
	return 0;
}
