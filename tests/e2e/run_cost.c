/*
 * 20 times: 10,000 probes that find nothing, 1 ms of computing, a barrier.
 * Prints how long each computing took, ns, as the program measures it.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	enum { ROUNDS = 20, PROBES = 10000, COMPUTING_NS = 1000000 };

	MPI_Init(&argc, &argv);
	for (int k = 0; k < ROUNDS; k++) {
		long long start, end;
		int found;

		for (int i = 0; i < PROBES; i++)
			MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				   &found, MPI_STATUS_IGNORE);
		start = now_ns();
		do
			end = now_ns();
		while (end - start < COMPUTING_NS);
		MPI_Barrier(MPI_COMM_WORLD);
		printf("%lld\n", end - start);
	}
	return MPI_Finalize();
}
