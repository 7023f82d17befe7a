/*
 * A session with one process, in which MPICH 4.0.2 has no network: what needs
 * to look for messages crashes, and this program does nothing of the kind. With
 * an argument MPI_Init comes later, and the rest of the run is an ordinary one.
 */
#include <mpi.h>
#include <stdio.h>

static void complete_at_once(MPI_Comm comm)
{
	int x = 7, y = 0, size, flag;
	MPI_Request r;
	MPI_Comm dup;

	MPI_Comm_size(comm, &size);
	MPI_Barrier(comm);
	MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
	printf("%d, sum %d\n", size, y);
	y = 0;
	MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	printf("sum %d\n", y);
	MPI_Irecv(&y, 1, MPI_INT, 0, 1, comm, &r);
	x = 8;
	MPI_Send(&x, 1, MPI_INT, 0, 1, comm);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	printf("received %d\n", y);
	MPI_Iprobe(0, 2, comm, &flag, MPI_STATUS_IGNORE);
	printf("probed %d\n", flag);
	MPI_Comm_dup(comm, &dup);
	MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "alone", MPI_INFO_NULL,
				   MPI_ERRORS_RETURN, &comm);
	complete_at_once(comm);
	if (argc > 1) {
		MPI_Init(NULL, NULL);
		complete_at_once(MPI_COMM_WORLD);
		MPI_Finalize();
	}
	MPI_Group_free(&group);
	MPI_Comm_disconnect(&comm);
	MPI_Session_finalize(&session);
	return 0;
}
