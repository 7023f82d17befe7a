/*
 * What the programs share: arguments, and computation as simulated time, drawn
 * from a seed for each rank and step, whole nanoseconds.
 */
#ifndef WORK_H
#define WORK_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct work {
	int rank, size, steps;
	double grain_ns;   /* mean of one piece of computation */
	int bytes;         /* of a message */
	int every;         /* collective every so many steps, 0: none */
	uint64_t state;
	double begin_s;
};

/* seed steps grain_ns bytes every: all have a value by default. */
static inline void work_begin(struct work *w, int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	MPI_Init(&argc, &argv);
	PMPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &w->size);
	w->steps = argc > 2 ? atoi(argv[2]) : 20;
	w->grain_ns = argc > 3 ? atof(argv[3]) : 20000;
	w->bytes = argc > 4 ? atoi(argv[4]) : 1024;
	w->every = argc > 5 ? atoi(argv[5]) : 0;
	w->state = seed * 1000003 + (uint64_t)w->rank;
	w->begin_s = MPI_Wtime();
}

/* splitmix64; from 0 to below 1 */
static inline double work_random(struct work *w)
{
	uint64_t z = w->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Computes for a time from 1/2 to 3/2 of the grain, times scale. */
static inline void work_compute(struct work *w, double scale)
{
	double ns = scale * w->grain_ns * (0.5 + work_random(w));

	smpi_execute_benched((double)(int64_t)ns * 1e-9);
}

/* Says how long this rank took, and ends. */
static inline int work_end(struct work *w)
{
	double ns = (MPI_Wtime() - w->begin_s) * 1e9;

	printf("%d %.0f\n", w->rank, ns);
	MPI_Finalize();
	return 0;
}

static inline void *work_room(size_t bytes)
{
	void *p = calloc(bytes + 1, 1);

	if (!p)
		abort();
	return p;
}

#endif
