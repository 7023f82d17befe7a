/*
 * Messages of all kinds between all ranks: eager and rendezvous, waited for and
 * tested, by wildcards, and collectives of several communicators.
 */
#include <mpi.h>
#include <stdlib.h>

enum { STEPS = 200, LARGE = 500000 };

static char *in, *out;

static void neighbours(int me, int n, int step)
{
	static const int sizes[] = {8, 1000, 20000, LARGE};
	int size = sizes[step % 4], there = 0;
	MPI_Request q[2];

	MPI_Irecv(in, size, MPI_CHAR, (me + n - 1) % n, step, MPI_COMM_WORLD,
		  &q[0]);
	MPI_Isend(out, size, MPI_CHAR, (me + 1) % n, step, MPI_COMM_WORLD,
		  &q[1]);
	while (step % 3 == 0 && !there)
		MPI_Test(&q[0], &there, MPI_STATUS_IGNORE);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_Sendrecv(out, 10, MPI_CHAR, (me + 1) % n, STEPS, in, 10, MPI_CHAR,
		     (me + n - 1) % n, STEPS, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void to_first(int me, int n, int step)
{
	int size = step % 4 == 3 ? LARGE / 2 : 100 * (step % 4) + 1;

	if (me)
		MPI_Send(out, size, MPI_CHAR, 0, STEPS + 1, MPI_COMM_WORLD);
	for (int i = 1; !me && i < n; i++)
		MPI_Recv(in, size, MPI_CHAR, MPI_ANY_SOURCE, STEPS + 1,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	double x, y;
	MPI_Comm half;
	int me, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
	in = calloc(2, LARGE);
	out = in + LARGE;
	x = me;
	for (int i = 0; i < STEPS; i++) {
		neighbours(me, n, i);
		to_first(me, n, i);
		MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, half);
		MPI_Bcast(out, 100, MPI_CHAR, i % n, MPI_COMM_WORLD);
		MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
		if (i % 7 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	free(in);
	MPI_Finalize();
	return 0;
}
