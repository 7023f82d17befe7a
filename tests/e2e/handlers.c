/*
 * A call fails again and again, and its error handler makes another:
 *
 *	handlers CALL COUNT
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int told;

static void handler(MPI_Comm *comm, int *code, ...)
{
	int size;

	(void)comm, (void)code;
	told++;
	MPI_Type_size(MPI_INT, &size);
}

static void fails(const char *call)
{
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Comm comm;
	int n;

	if (!strcmp(call, "MPI_Add_error_string"))
		MPI_Add_error_string(-30, "");
	else if (!strcmp(call, "MPI_Send"))
		MPI_Send(&n, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	else if (!strcmp(call, "MPI_Ssend"))
		MPI_Ssend(&n, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	else if (!strcmp(call, "MPI_Testall"))
		MPI_Testall(-1, &request, &n, MPI_STATUSES_IGNORE);
	else if (!strcmp(call, "MPI_Comm_dup"))
		MPI_Comm_dup(MPI_COMM_NULL, &comm);
	else if (!strcmp(call, "MPI_Comm_set_name"))
		MPI_Comm_set_name(MPI_COMM_NULL, "");
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 0;
	MPI_Errhandler e;

	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(handler, &e);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, e);
	for (int i = 0; i < count; i++)
		fails(argv[1]);
	MPI_Finalize();
	return told == 0 || told != count;
}
