/*
 * Splits of tape_hsplit beside those of MPI 4's MPI_COMM_TYPE_HW_GUIDED and
 * _UNGUIDED: of each process that ours gives a smaller communicator the MPI
 * library's has the same members in the same order, and if ours gives none to
 * anybody, so does the library. (What is not compared: doc/hierarchy.md.)
 * Prints "N compared, N differ". With an argument only the library splits, and
 * what it makes is given back: does it do that here at all?
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "tape_hsplit.h"

static int rank, compared, differ;

/* Frees theirs. */
static void compare(const char *what, MPI_Comm old, MPI_Comm ours,
		    MPI_Comm theirs)
{
	int got = ours != MPI_COMM_NULL, any, how = MPI_CONGRUENT;

	MPI_Allreduce(&got, &any, 1, MPI_INT, MPI_MAX, old);
	if (got) {
		MPI_Comm_compare(old, ours, &how);
		if (how == MPI_UNEQUAL) {
			compared++;
			if (theirs != MPI_COMM_NULL)
				MPI_Comm_compare(ours, theirs, &how);
			if (theirs == MPI_COMM_NULL || how != MPI_CONGRUENT) {
				differ++;
				printf("%s: rank %d differs\n", what, rank);
			}
		}
	} else if (!any) {
		compared++;
		if (theirs != MPI_COMM_NULL) {
			differ++;
			printf("%s: rank %d got one\n", what, rank);
		}
	}
	if (theirs != MPI_COMM_NULL)
		MPI_Comm_free(&theirs);
}

/* The library's splits alone. */
static void split_alone(const char *type)
{
	MPI_Comm theirs;
	MPI_Info info;

	MPI_Info_create(&info);
	if (type)
		MPI_Info_set(info, "mpi_hw_resource_type", type);
	MPI_Comm_split_type(MPI_COMM_WORLD,
			    type ? MPI_COMM_TYPE_HW_GUIDED
				 : MPI_COMM_TYPE_HW_UNGUIDED,
			    rank, info, &theirs);
	if (theirs != MPI_COMM_NULL)
		MPI_Comm_free(&theirs);
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	static const char *const types[] = {"l3cache", "l2cache",  "l1cache",
					    "package", "numanode", "core",
					    "pu"};
	MPI_Comm comm = MPI_COMM_WORLD, ours, theirs;
	int mine[2], sum[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		MPI_Info info;

		if (argc > 1) {
			split_alone(types[i]);
			continue;
		}
		MPI_Info_create(&info);
		MPI_Info_set(info, "mpi_hw_resource_type", types[i]);
		tape_hsplit(MPI_COMM_WORLD, info, &ours);
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED,
				    rank, info, &theirs);
		compare(types[i], MPI_COMM_WORLD, ours, theirs);
		if (ours != MPI_COMM_NULL)
			MPI_Comm_free(&ours);
		MPI_Info_free(&info);
	}
	if (argc > 1) {
		split_alone(NULL);
		comm = MPI_COMM_NULL;
	}
	while (comm != MPI_COMM_NULL) {
		tape_hsplit(comm, MPI_INFO_NULL, &ours);
		MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, rank,
				    MPI_INFO_NULL, &theirs);
		compare("unguided", comm, ours, theirs);
		if (comm != MPI_COMM_WORLD)
			MPI_Comm_free(&comm);
		comm = ours;
	}
	mine[0] = compared;
	mine[1] = differ;
	MPI_Reduce(mine, sum, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d compared, %d differ\n", sum[0], sum[1]);
	MPI_Finalize();
	return 0;
}
