/*
 * What a blocking receive gives its program, in all ways that it can go: the
 * status whole (MPI_ERROR untouched), the buffer, the error and its class, who
 * hears of it. Under each kind of error handler, of the communicator and of
 * MPI_COMM_WORLD. One process, by itself, and between two: what waits.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm;
static int heard;
static const char *heard_on;
static int values[3] = { 5, 6, 7 };

static void hear(MPI_Comm *c, int *code, ...)
{
	(void)code;
	heard++;
	heard_on = *c == comm		  ? "comm"
		   : *c == MPI_COMM_WORLD ? "world"
					  : "other";
}

static int in[3];
static MPI_Status s;
static MPI_Request sent, looked;

static void ready(void)
{
	heard = 0;
	heard_on = "none";
	memset(in, 0x44, sizeof in);
	memset(&s, 0, sizeof s);
	s.MPI_SOURCE = s.MPI_TAG = -55;
	s.MPI_ERROR = 77;
	sent = MPI_REQUEST_NULL;
}

static void show(const char *what, int rc)
{
	int class_ = 0, count = -9, cancelled = -9;

	MPI_Error_class(rc, &class_);
	MPI_Get_count(&s, MPI_BYTE, &count);
	MPI_Test_cancelled(&s, &cancelled);
	printf("%s: class %d from %d tag %d error %d count %d cancelled %d "
	       "heard %d on %s buffer %d %d\n", what, class_, s.MPI_SOURCE,
	       s.MPI_TAG, s.MPI_ERROR, count, cancelled, heard, heard_on,
	       in[0], in[1]);
}

#define CASE(what, before, call)                                               \
	do {                                                                   \
		int rc_;                                                       \
		ready();                                                       \
		before;                                                        \
		rc_ = call;                                                    \
		show(what, rc_);                                               \
		MPI_Wait(&sent, MPI_STATUS_IGNORE);                            \
	} while (0)
/* The message is still to be received. */
#define LOOK(what, call)                                                       \
	do {                                                                   \
		int rc_;                                                       \
		ready();                                                       \
		SEND(2);                                                       \
		rc_ = call;                                                    \
		show(what, rc_);                                               \
		looked = sent;                                                 \
	} while (0)
#define SEND(n) MPI_Isend(values, n, MPI_INT, 0, 1, comm, &sent)
#define RECV(n, type, from, tag) MPI_Recv(in, n, type, from, tag, comm, &s)
#define BOTH(n, to, m, from)                                                   \
	MPI_Sendrecv(values, n, MPI_INT, to, 1, in, m, MPI_INT, from, 1,       \
		     comm, &s)

static void receive(void)
{
	MPI_Datatype gap, uncommitted;
	MPI_Message message;

	CASE("one", SEND(1), RECV(3, MPI_INT, 0, 1));
	CASE("any", SEND(2), RECV(3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG));
	CASE("cut short", SEND(3), RECV(1, MPI_INT, 0, 1));
	CASE("empty", SEND(0), MPI_Recv(NULL, 0, MPI_INT, 0, 1, comm, &s));
	CASE("from nobody", , RECV(1, MPI_INT, MPI_PROC_NULL, 1));
	CASE("no type", , RECV(1, MPI_DATATYPE_NULL, 0, 1));
	CASE("no rank", , RECV(1, MPI_INT, 7, 1));
	CASE("no tag", , RECV(1, MPI_INT, 0, -7));
	CASE("less than none", , RECV(-1, MPI_INT, 0, 1));
	CASE("ignored", SEND(1), MPI_Recv(in, 1, MPI_INT, 0, 1, comm,
					  MPI_STATUS_IGNORE));
	MPI_Type_vector(2, 1, 2, MPI_INT, &gap);
	MPI_Type_commit(&gap);
	CASE("derived", SEND(2), RECV(1, gap, 0, 1));
	MPI_Type_contiguous(2, MPI_INT, &uncommitted);
	CASE("not committed", , RECV(1, uncommitted, 0, 1));
	MPI_Type_free(&gap);
	MPI_Type_free(&uncommitted);

	CASE("both", , BOTH(1, 0, 3, 0));
	CASE("both, to nobody", SEND(1), BOTH(1, MPI_PROC_NULL, 1, 0));
	CASE("both, from nobody", , BOTH(1, MPI_PROC_NULL, 1, MPI_PROC_NULL));
	CASE("both, to no rank", , BOTH(1, 9, 1, 0));
	CASE("both, less than none", , BOTH(-1, 0, 1, 0));
	CASE("both, ignored", ,
	     MPI_Sendrecv(values, 1, MPI_INT, 0, 1, in, 1, MPI_INT, 0, 1, comm,
			  MPI_STATUS_IGNORE));
	CASE("replaced", in[0] = 3,
	     MPI_Sendrecv_replace(in, 1, MPI_INT, 0, 1, 0, 1, comm, &s));

	LOOK("probed", MPI_Probe(0, 1, comm, &s));
	CASE("and received", , RECV(3, MPI_INT, 0, 1));
	MPI_Wait(&looked, MPI_STATUS_IGNORE);
	CASE("probed, from nobody", , MPI_Probe(MPI_PROC_NULL, 1, comm, &s));
	CASE("probed, no rank", , MPI_Probe(9, 1, comm, &s));
	LOOK("matched", MPI_Mprobe(0, 1, comm, &message, &s));
	CASE("and received", , MPI_Mrecv(in, 3, MPI_INT, &message, &s));
	MPI_Wait(&looked, MPI_STATUS_IGNORE);
}

/* At absolute addresses, over an intercommunicator, late, large both ways. */
static void between_two(int rank)
{
	enum { LARGE = 300000 };
	MPI_Datatype here;
	MPI_Aint at;
	MPI_Comm inter;
	int one = 1, peer = 1 - rank;
	char *out = calloc(1, LARGE), *back = calloc(1, LARGE);

	MPI_Get_address(&in[1], &at);
	MPI_Type_create_hindexed(1, &one, &at, MPI_INT, &here);
	MPI_Type_commit(&here);
	ready();
	if (rank)
		usleep(20000);
	MPI_Sendrecv(values, 1, MPI_INT, peer, 3, MPI_BOTTOM, 1, here, peer, 3,
		     MPI_COMM_WORLD, &s);
	if (!rank)
		show("bottom", 0);
	ready();
	memset(out, 'a' + rank, LARGE);
	MPI_Sendrecv(out, LARGE, MPI_CHAR, peer, 4, back, LARGE, MPI_CHAR, peer,
		     4, MPI_COMM_WORLD, &s);
	in[0] = back[0];
	in[1] = back[LARGE - 1];
	if (!rank)
		show("large both ways", 0);
	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, peer, 5, &inter);
	ready();
	if (rank) {
		usleep(20000);
		MPI_Send(values, 2, MPI_INT, 0, 6, inter);
	} else {
		int rc = MPI_Recv(in, 3, MPI_INT, 0, 6, inter, &s);

		show("another group", rc);
	}
	MPI_Comm_free(&inter);
	MPI_Type_free(&here);
	free(out);
	free(back);
}

int main(int argc, char **argv)
{
	MPI_Errhandler own, all[3];
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > 1)
		between_two(rank);
	MPI_Comm_create_errhandler(hear, &own);
	all[0] = MPI_ERRORS_ARE_FATAL;
	all[1] = MPI_ERRORS_RETURN;
	all[2] = own;
	for (int i = 0; i < 6 && size == 1; i++) {
		MPI_Comm_dup(MPI_COMM_SELF, &comm);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, all[i % 3]);
		MPI_Comm_set_errhandler(comm, i < 3 ? own : MPI_ERRORS_RETURN);
		printf("handlers %d\n", i);
		receive();
		MPI_Comm_free(&comm);
	}
	MPI_Finalize();
	return 0;
}
