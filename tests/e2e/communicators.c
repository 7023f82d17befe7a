/*
 * Communicators whose handles mean something else by and by, and those that
 * can only be told apart by the order in which they were made; two ranks.
 *
 * The tag of each message says on which communicator it is: 10 + k on the k-th
 * that was made, of the first kind.
 */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 6 };

static int me, other, value;

static void send(MPI_Comm comm, int tag)
{
	MPI_Send(&me, 1, MPI_INT, other, tag, comm);
}

static void receive(MPI_Comm comm, int tag)
{
	MPI_Recv(&value, 1, MPI_INT, other, tag, comm, MPI_STATUS_IGNORE);
}

static void receive_chars(MPI_Comm comm, int n)
{
	char text[2];

	MPI_Recv(text, n, MPI_CHAR, 0, 1, comm, MPI_STATUS_IGNORE);
}

/* The same tag, received the other way round. */
static void twins(void)
{
	MPI_Comm a, b;

	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	if (me) {
		receive_chars(b, 2);
		receive_chars(a, 1);
	} else {
		MPI_Send("a", 1, MPI_CHAR, 1, 1, a);
		MPI_Send("bb", 2, MPI_CHAR, 1, 1, b);
	}
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
}

/* A handle that is in use again; by calls that are complete at once, or not. */
static void again(int k)
{
	MPI_Request r;
	MPI_Comm comm;

	if (k % 2) {
		MPI_Comm_idup(MPI_COMM_WORLD, &comm, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	}
	if (me) {
		receive(comm, 10 + k);
	} else {
		send(comm, 10 + k);
		printf("%lx\n", (unsigned long)comm);
	}
	/* a library may do so where nobody sees it */
	if (k % 4 == 2)
		PMPI_Comm_free(&comm);
	else
		MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	other = 1 - me;
	twins();
	for (int k = 0; k < ROUNDS; k++)
		again(k);
	MPI_Finalize();
	return 0;
}
