/*
 * Ranks that compute and then meet, again and again: shared MODE [CPU ...].
 * even: all compute alike; slow: rank 1 computes three times as long. With CPUs
 * the ranks may use these only.
 *
 * Rank 0 prints what all ranks would wait together if each had a processor of
 * its own, and what they waited, us: of each step, by how much less than the
 * longest rank each was on a processor, as the kernel counts it, and by how
 * much earlier than the last one it came, by the clock of the machine.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 8 };

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

/* Of each step: by how much all of them are behind the largest. */
static double sum_behind(const double *of_step)
{
	double most[STEPS], sum[STEPS], all = 0;
	int size;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Reduce(of_step, most, STEPS, MPI_DOUBLE, MPI_MAX, 0,
		   MPI_COMM_WORLD);
	MPI_Reduce(of_step, sum, STEPS, MPI_DOUBLE, MPI_SUM, 0,
		   MPI_COMM_WORLD);
	for (int i = 0; i < STEPS; i++)
		all += size * most[i] - sum[i];
	return all;
}

int main(int argc, char **argv)
{
	double ran[STEPS], came[STEPS], x = 1, y, without, with;
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
	without = sum_behind(ran);
	with = sum_behind(came);
	if (!me)
		printf("%.0f %.0f\n", without / 1e3, with / 1e3);
	MPI_Finalize();
	return 0;
}
