/*
 * Leaves requests, communicators, windows and files behind, each at a line with
 * a mark, beside others that are completed and freed.
 */
#include <mpi.h>
#include <string.h>

#define W MPI_COMM_WORLD

/* Above the eager limit: Open MPI gives all shorter sends one request. */
#define LONG (1 << 16)

static int me, data[LONG];

static void leave_requests(void)
{
	MPI_Request r[4], once;

	if (me == 1) {
		for (int i = 0; i < 2; i++)
			MPI_Isend(data, LONG, MPI_INT, 0, 5, W, r); /* SENDS */
		MPI_Isend(data, LONG, MPI_INT, 0, 6, W, &r[1]);
		MPI_Request_free(&r[1]);
		MPI_Isend(data, LONG, MPI_INT, 0, 7, W, &r[2]);
		MPI_Wait(&r[2], MPI_STATUS_IGNORE);
	}
	if (me == 0) {
		for (int tag = 5; tag < 8; tag++)
			MPI_Recv(data, LONG, MPI_INT, 1, tag, W,
				 MPI_STATUS_IGNORE);
		MPI_Recv(data, LONG, MPI_INT, 1, 5, W, MPI_STATUS_IGNORE);
	}
	if (me == 2) {
		MPI_Send_init(&data[4], 1, MPI_INT, MPI_PROC_NULL, 1, W, &once);
		MPI_Start(&once); /* PERSISTENT */
		MPI_Wait(&once, MPI_STATUS_IGNORE);
		MPI_Send_init(&data[5], 1, MPI_INT, MPI_PROC_NULL, 1, W, &r[3]);
		MPI_Start(&r[3]);
		MPI_Wait(&r[3], MPI_STATUS_IGNORE);
		MPI_Request_free(&r[3]);
	}
#if MPI_VERSION >= 4
	MPI_Barrier_init(W, MPI_INFO_NULL, &once);
	MPI_Start(&once); /* COLLECTIVE */
	MPI_Wait(&once, MPI_STATUS_IGNORE);
#endif
	MPI_Ibarrier(W, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Ibarrier(W, &r[0]); /* BARRIER */
	MPI_Barrier(W);
}

static void leave_objects(int windows)
{
	MPI_Comm dup, freed, part, idup;
	MPI_Request r;
	MPI_File file, closed;
	MPI_Win win, done;

	MPI_Comm_dup(W, &dup); /* DUP */
	MPI_Comm_dup(W, &dup);
	MPI_Comm_free(&dup);
	MPI_Comm_split(W, me == 1 ? MPI_UNDEFINED : 0, 0, &part); /* SPLIT */
	MPI_Comm_idup(W, &idup, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Comm_free(&idup);
	MPI_Comm_dup(W, &freed);
	MPI_Comm_disconnect(&freed);
	MPI_File_open(MPI_COMM_SELF, "closed",
		      MPI_MODE_CREATE | MPI_MODE_WRONLY |
			  MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &closed);
	MPI_File_close(&closed);
	MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, W, &done);
	MPI_Win_free(&done);
	if (!windows)
		return;
	MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, W, &win); /* WIN */
	MPI_File_open(W, "left", MPI_MODE_CREATE | MPI_MODE_WRONLY, /* FILE */
		      MPI_INFO_NULL, &file);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	if (argc > 1 && strcmp(argv[1], "nothing")) {
		leave_requests();
		leave_objects(!strcmp(argv[1], "all"));
	}
	MPI_Finalize();
	return 0;
}
