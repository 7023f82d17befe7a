/*
 * Two ranks that compute and meet: for a while, by the processor time that they
 * get. contention CPU CPU: rank R stays on processor CPU[R].
 *
 * Each prints the time between MPI_Init and MPI_Finalize, the time that it had
 * no processor meanwhile though it could run, by the kernel's count, us, and
 * how often it was taken from its processor.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void counted(double *waited, long *taken)
{
	FILE *f = fopen("/proc/self/schedstat", "r");
	long long ran = 0, ready = 0;
	struct rusage u;

	if (!f || fscanf(f, "%lld %lld", &ran, &ready) != 2)
		ready = -1;
	if (f)
		fclose(f);
	getrusage(RUSAGE_SELF, &u);
	*waited = (double)ready / 1e3;
	*taken = u.ru_nivcsw;
}

int main(int argc, char **argv)
{
	double t0, w0, w1, cpu;
	long n0, n1, marks = 0;
	cpu_set_t on;
	int me, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	CPU_ZERO(&on);
	CPU_SET((size_t)atoi(argv[1 + me]), &on);
	if (argc > 2 && sched_setaffinity(0, sizeof on, &on))
		return 1;
	MPI_Barrier(MPI_COMM_WORLD);
	counted(&w0, &n0);
	t0 = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	while (now(CLOCK_THREAD_CPUTIME_ID) - cpu < 300000)
		for (int i = 0; i < 1000; i++, marks++)
			MPI_Type_size(MPI_INT, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	counted(&w1, &n1);
	printf("%d %.0f %.0f %ld\n", me, now(CLOCK_MONOTONIC) - t0, w1 - w0,
	       n1 - n0);
	MPI_Finalize();
	return 0;
}
