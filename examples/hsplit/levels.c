/*
 * The levels of the hardware that this run is on, with libtape-hsplit: a line
 * for each process, with the communicators that it is in, from the widest to
 * the narrowest: type, which of how many, and its number of processes.
 *
 *	mpirun -np 8 levels
 */
#include <mpi.h>
#include <stdio.h>
#include <tape_hsplit.h>

enum { LEVELS = 16, LINE = 256 };

int main(int argc, char **argv)
{
	MPI_Comm comms[LEVELS];
	char line[LINE] = "";
	int rank, size, levels, at = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tape_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, LEVELS, comms, NULL,
			&levels);
	for (int i = 0; i < levels && at < LINE; i++) {
		int n, index, members;
		const char *type;

		tape_get_hlevel_info(comms[i], &n, &index, &type);
		MPI_Comm_size(comms[i], &members);
		at +=
		    snprintf(line + at, (size_t)(LINE - at),
			     "  %s %d of %d (%d)", type, index + 1, n, members);
	}
	while (levels)
		MPI_Comm_free(&comms[--levels]);

	for (int i = 0; i < size; i++) {
		if (rank == i && i)
			MPI_Send(line, LINE, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		if (rank == 0 && i)
			MPI_Recv(line, LINE, MPI_CHAR, i, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (rank == 0)
			printf("rank %d:%s\n", i, *line ? line : "  none");
	}
	MPI_Finalize();
	return 0;
}
