/*
 * A program that knows nothing of libtape-hsplit but a number: the splits that
 * MPI_Comm_split_type makes of its ranks, one line for each kind,
 *
 *	KIND MEMBERS... of each communicator, / between them
 *
 * ranks of MPI_COMM_WORLD; - is one that got none, ! one that got an error.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void line(const char *kind, int split_type, int key)
{
	char text[256] = "", all[16][256];
	MPI_Comm new = MPI_COMM_NULL;
	int r = 0, ranks[16], n,
	    rc = MPI_Comm_split_type(MPI_COMM_WORLD, split_type, key,
				     MPI_INFO_NULL, &new);

	if (rc != MPI_SUCCESS) {
		strcpy(text, "!");
	} else if (new == MPI_COMM_NULL) {
		strcpy(text, "-");
	} else {
		MPI_Comm_rank(new, &r);
		MPI_Comm_size(new, &n);
		MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, new);
		for (int i = 0; i < n; i++)
			sprintf(text + strlen(text), "%s%d", i ? " " : "",
				ranks[i]);
		if (r)
			text[0] = '\0';
		MPI_Comm_free(&new);
	}
	MPI_Gather(text, sizeof text, MPI_CHAR, all, sizeof text, MPI_CHAR, 0,
		   MPI_COMM_WORLD);
	if (rank)
		return;
	printf("%s", kind);
	for (int i = 0; i < size; i++)
		if (*all[i])
			printf(" %s /", all[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	const int hardware = 0x7a9e;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	line("hardware", hardware, 0);
	line("backwards", hardware, -rank);
	line("some", rank % 3 ? hardware : MPI_UNDEFINED, 0);
	line("shared", MPI_COMM_TYPE_SHARED, 0);
	line("none", MPI_UNDEFINED, 0);
	MPI_Finalize();
	return 0;
}
