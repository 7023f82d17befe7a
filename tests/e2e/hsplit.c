/*
 * Splits MPI_COMM_WORLD level by level and prints each communicator: lines
 *
 *	STEP comm TYPE INDEX/NUMBER RANK...
 *	STEP roots RANK...
 *
 * the ranks of MPI_COMM_WORLD, in the communicator's order; and those of the
 * processes that got none. Once for all, in the order of ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape_hsplit.h"

static int rank, size;

static int members(MPI_Comm comm, char *text)
{
	int n, mine = rank, r, *all;

	MPI_Comm_size(comm, &n);
	MPI_Comm_rank(comm, &r);
	all = malloc((size_t)n * sizeof *all);
	MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm);
	for (int i = 0; i < n; i++)
		text += sprintf(text, " %d", all[i]);
	free(all);
	return r;
}

/* Rank 0 prints everybody's line, if there is one. */
static void print(const char *line)
{
	char all[4096];

	for (int i = 0; i < size; i++) {
		if (rank == 0 && i == 0)
			memcpy(all, line, sizeof all);
		else if (rank == 0)
			MPI_Recv(all, sizeof all, MPI_CHAR, i, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else if (rank == i)
			MPI_Send(line, sizeof all, MPI_CHAR, 0, 0,
				 MPI_COMM_WORLD);
		if (rank == 0 && *all)
			puts(all);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm comm, next, roots;
	int going = 1, any = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	comm = MPI_COMM_WORLD;
	for (int step = 1; any; step++) {
		char line[4096] = "", line2[4096] = "", line3[4096] = "";

		next = roots = MPI_COMM_NULL;
		if (going)
			tape_hsplit_with_roots(comm, MPI_INFO_NULL, &next,
					       &roots);
		if (next != MPI_COMM_NULL) {
			int num, index, n;
			const char *type;

			tape_get_hlevel_info(next, &num, &index, &type);
			n = sprintf(line, "%d comm %s %d/%d", step, type, index,
				    num);
			if (members(next, line + n))
				line[0] = '\0';
		} else if (going)
			sprintf(line3, "%d none %d", step, rank);
		if (roots != MPI_COMM_NULL) {
			int n = sprintf(line2, "%d roots", step);

			if (members(roots, line2 + n))
				line2[0] = '\0';
			MPI_Comm_free(&roots);
		}
		if (comm != MPI_COMM_WORLD && comm != MPI_COMM_NULL)
			MPI_Comm_free(&comm);
		comm = next;
		going = next != MPI_COMM_NULL;
		print(line);
		print(line2);
		print(line3);
		MPI_Allreduce(&going, &any, 1, MPI_INT, MPI_MAX,
			      MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
