/*
 * Ranks that compute and then meet, again and again: shared MODE [CPU ...].
 * even: all compute alike; slow: rank 1 computes three times as long. With CPUs
 * the ranks may use these only.
 *
 * Rank 0 prints what all ranks would wait for those that came last if each had
 * a processor of its own, and what they waited, us: by the kernel's count of
 * the time on a processor, and by the clock of the machine. There are at most
 * RANKS.
 */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 8, RANKS = 16 };

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The time of this thread on a processor, ns. */
static double read_ran(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	long long ran = 0;

	if (!f || fscanf(f, "%lld", &ran) != 1)
		exit(1);
	fclose(f);
	return (double)ran;
}

static void compute_for(double ns)
{
	double begun = read_clock(CLOCK_THREAD_CPUTIME_ID);

	while (read_clock(CLOCK_THREAD_CPUTIME_ID) - begun < ns)
		;
}

static void bind_to(int n, char **cpu)
{
	cpu_set_t on;

	CPU_ZERO(&on);
	for (int i = 0; i < n; i++)
		CPU_SET((size_t)atoi(cpu[i]), &on);
	if (n && sched_setaffinity(0, sizeof on, &on))
		exit(1);
}

/*
 * Of all steps what the ranks waited for the one that came last, and of that
 * by how much less than that one they were on a processor: so much of it each
 * would wait if both had a processor of their own.
 */
static void sum_waits(const double *ran, const double *came, double *without,
		      double *with)
{
	static double all_ran[RANKS][STEPS], all_came[RANKS][STEPS];
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Gather(ran, STEPS, MPI_DOUBLE, all_ran, STEPS, MPI_DOUBLE, 0,
		   MPI_COMM_WORLD);
	MPI_Gather(came, STEPS, MPI_DOUBLE, all_came, STEPS, MPI_DOUBLE, 0,
		   MPI_COMM_WORLD);
	for (int i = 0; i < STEPS; i++) {
		int last = 0;

		for (int r = 1; r < size; r++)
			if (all_came[r][i] > all_came[last][i])
				last = r;
		for (int r = 0; r < size; r++) {
			double waits = all_came[last][i] - all_came[r][i];
			double less = all_ran[last][i] - all_ran[r][i];

			*with += waits;
			*without += fmin(waits, fmax(0, less));
		}
	}
}

int main(int argc, char **argv)
{
	double ran[STEPS], came[STEPS], x = 1, y, without = 0, with = 0;
	int me;

	bind_to(argc - 2, argv + 2);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < STEPS; i++) {
		ran[i] = -read_ran();
		compute_for(!strcmp(argv[1], "slow") && me == 1 ? 90e6 : 30e6);
		ran[i] += read_ran();
		came[i] = read_clock(CLOCK_MONOTONIC);
		MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, /* MEET */
			      MPI_COMM_WORLD);
	}
	sum_waits(ran, came, &without, &with);
	if (!me)
		printf("%.0f %.0f\n", without / 1e3, with / 1e3);
	MPI_Finalize();
	return 0;
}
