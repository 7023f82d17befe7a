/*
 * Receives whose message is there when the program waits for it, and others
 * that come only after the tracer has asked: this program's PMPI_Wait, which
 * the tracer takes for the library's, sends them. One process, by itself.
 *
 *	arrived traced|plain
 *
 * Without a tracer nobody calls that: plain sends them ahead.
 * The first wait of each round has arrived=1, the second one 0. Others are for
 * receives that fail, whatever error handlers there are; the communicator's
 * hears of it once.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 5 };

static MPI_Comm comm;
static int late = -1; /* the tag of what is still to be sent */
static MPI_Errhandler own;
static int heard, plain;

static void send_to_self(int tag, int n)
{
	int values[2] = { tag, tag };

	MPI_Send(values, n, MPI_INT, 0, tag, comm);
}

int PMPI_Wait(MPI_Request *r, MPI_Status *s)
{
	int (*next)(MPI_Request *, MPI_Status *) =
		(int (*)(MPI_Request *, MPI_Status *))dlsym(RTLD_NEXT,
							     "PMPI_Wait");
	int tag = late;

	late = -1;
	if (tag >= 0)
		send_to_self(tag, 1);
	return next(r, s);
}

static void hear(MPI_Comm *c, int *code, ...)
{
	(void)c, (void)code;
	heard++;
}

static void one_round(int k, int persistent)
{
	MPI_Request there, not_there;
	int in[2];

	if (persistent) {
		MPI_Recv_init(&in[0], 1, MPI_INT, 0, 2 * k, comm, &there);
		MPI_Start(&there);
	} else {
		MPI_Irecv(&in[0], 1, MPI_INT, 0, 2 * k, comm, &there);
	}
	MPI_Irecv(&in[1], 1, MPI_INT, 0, 2 * k + 1, comm, &not_there);
	send_to_self(2 * k, 1);
	MPI_Wait(&there, MPI_STATUS_IGNORE);
	if (plain)
		send_to_self(2 * k + 1, 1);
	else
		late = 2 * k + 1;
	MPI_Wait(&not_there, MPI_STATUS_IGNORE);
	printf("%d %d\n", in[0], in[1]);
	if (persistent)
		MPI_Request_free(&there);
}

/* There are two values for one place. */
static void failing(int tag)
{
	MPI_Request r;
	int in, failed;

	MPI_Irecv(&in, 1, MPI_INT, 0, tag, comm, &r);
	send_to_self(tag, 2);
	heard = 0;
	failed = MPI_Wait(&r, MPI_STATUS_IGNORE) != MPI_SUCCESS;
	printf("failed %d heard %d\n", failed, heard);
}

static const char *name_of(MPI_Errhandler h)
{
	return h == MPI_ERRORS_ARE_FATAL ? "fatal"
	       : h == MPI_ERRORS_RETURN	 ? "return"
	       : h == own		 ? "own"
					 : "another";
}

/* A handler of the communicator, and one of those that are always there. */
static void with_handlers(MPI_Errhandler h, MPI_Errhandler always)
{
	MPI_Comm comms[] = { comm, MPI_COMM_WORLD, MPI_COMM_SELF };
	MPI_Errhandler now;

	for (int i = 0; i < 3; i++)
		MPI_Comm_set_errhandler(comms[i], i ? always : h);
	one_round(1, 0);
	if (h != MPI_ERRORS_ARE_FATAL)
		failing(50);
	for (int i = 0; i < 3; i++) {
		MPI_Comm_get_errhandler(comms[i], &now);
		printf("%s%c", name_of(now), i < 2 ? ' ' : '\n');
	}
}

/* A communicator that is freed goes on as long as its requests. */
static void freed(void)
{
	MPI_Request r;
	int in = 0;

	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Irecv(&in, 1, MPI_INT, 0, 70, comm, &r);
	send_to_self(70, 1);
	MPI_Comm_free(&comm);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	printf("freed %d\n", in);
}

int main(int argc, char **argv)
{
	MPI_Errhandler all[] = { MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, 0 };

	plain = argc > 1 && !strcmp(argv[1], "plain");
	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(hear, &own);
	comm = MPI_COMM_SELF;
	for (int k = 0; k < ROUNDS; k++)
		one_round(k, k % 2);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	all[2] = own;
	for (int i = 0; i < 9; i++)
		with_handlers(all[i % 3], all[i / 3]);
	MPI_Comm_free(&comm);
	freed();
	MPI_Finalize();
	return 0;
}
