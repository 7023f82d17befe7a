/*
 * Groups of processes that talk to each other: intercommunicators, processes
 * that are started, ports, neighbourhoods; see conform.h. Run as
 * "conform_processes child" by itself.
 */
#include "conform.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

/* Messages and collectives between the two sides. */
static void between(MPI_Comm c, int first)
{
	int mine = first ? 10 + me : 20 + me, got = -1, n = 0, root, r = 0;
	MPI_Status s;

	C(Comm_test_inter, c, &n);
	C(Comm_remote_size, c, &r);
	say("between %d\n", n);
	C(Comm_rank, c, &n);
	if (n < r) {
		blank(&s, 1);
		rc("sendrecv", C(Sendrecv, &mine, 1, MPI_INT, n, 5, &got, 1,
				 MPI_INT, n, 5, c, &s));
		status("between", &s);
		say("%d\n", got);
	}
	rc("barrier", C(Barrier, c));
	root = first ? (n ? MPI_PROC_NULL : MPI_ROOT) : 0;
	rc("bcast", C(Bcast, &mine, 1, MPI_INT, root, c));
	say("%d\n", mine);
	got = 0;
	rc("allreduce", C(Allreduce, &mine, &got, 1, MPI_INT, MPI_MAX, c));
	say("%d\n", got);
}

static void halves(void)
{
	MPI_Comm half, inter, both;
	MPI_Group g;
	int n = 0;

	say("# halves\n");
	C(Comm_split, W, me % 2, me, &half);
	rc("create", C(Intercomm_create, half, 0, W, 1 - me % 2, 3, &inter));
	rc("remote", C(Comm_remote_group, inter, &g));
	C(Group_size, g, &n);
	say("%d\n", n);
	C(Group_free, &g);
	between(inter, me % 2);
	rc("merge", C(Intercomm_merge, inter, me % 2, &both));
	C(Comm_size, both, &n);
	say("%d\n", n == size);
	C(Allreduce, &me, &n, 1, MPI_INT, MPI_SUM, both);
	say("%d\n", n);
	C(Comm_free, &both);
	C(Comm_free, &inter);
	C(Comm_free, &half);
}

static void neighbours(void)
{
	int dims[1] = { size }, yes[1] = { 1 }, ones[2] = { 1, 1 };
	int out[4], in[4];
	int at[2] = { 0, 1 };
	MPI_Aint far[2] = { 0, sizeof(int) };
	MPI_Datatype both[2] = { MPI_INT, MPI_INT };
	MPI_Request q;
	MPI_Comm c;

	say("# neighbours\n");
	for (int i = 0; i < 4; i++)
		out[i] = 10 * me + i;
	C(Cart_create, W, 1, dims, yes, 0, &c);
#define BOTH(call)                                                             \
	memset(in, 0, sizeof in);                                              \
	rc("near", call);                                                      \
	ints("near", in, 2)
#define LATER(call)                                                            \
	memset(in, 0, sizeof in);                                              \
	rc("later", call);                                                     \
	C(Wait, &q, IGNORE);                                                   \
	ints("later", in, 2)
	BOTH(C(Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, c));
	BOTH(C(Neighbor_allgatherv, out, 1, MPI_INT, in, ones, at, MPI_INT, c));
	BOTH(C(Neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, c));
	BOTH(C(Neighbor_alltoallv, out, ones, at, MPI_INT, in, ones, at,
	       MPI_INT, c));
	BOTH(C(Neighbor_alltoallw, out, ones, far, both, in, ones, far, both,
	       c));
	LATER(C(Ineighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, c, &q));
	LATER(C(Ineighbor_allgatherv, out, 1, MPI_INT, in, ones, at, MPI_INT,
		c, &q));
	LATER(C(Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, c, &q));
	LATER(C(Ineighbor_alltoallv, out, ones, at, MPI_INT, in, ones, at,
		MPI_INT, c, &q));
	LATER(C(Ineighbor_alltoallw, out, ones, far, both, in, ones, far, both,
		c, &q));
	C(Comm_free, &c);
}

static void started(char *self)
{
	char *commands[2] = { self, self }, *child[2] = { "child", NULL };
	char **arguments[2] = { child, child };
	int counts_[2] = { 1, 1 }, codes[2] = { 9, 9 };
	MPI_Info infos[2] = { MPI_INFO_NULL, MPI_INFO_NULL };
	MPI_Comm c;

	say("# processes that are started\n");
	rc("parent", C(Comm_get_parent, &c));
	say("%d\n", c == MPI_COMM_NULL);
	rc("spawn", C(Comm_spawn, self, child, 2, MPI_INFO_NULL, 0, W, &c,
		      codes));
	say("%d %d\n", codes[0], codes[1]);
	between(c, 1);
	rc("disconnect", C(Comm_disconnect, &c));
	rc("spawn", C(Comm_spawn_multiple, 2, commands, arguments, counts_,
		      infos, 0, W, &c, codes));
	between(c, 1);
	C(Comm_disconnect, &c);
}

static void ports(void)
{
	char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
	MPI_Comm half, c;

	say("# ports\n");
	C(Comm_split, W, me % 2, me, &half);
	if (!me)
		rc("open", C(Open_port, MPI_INFO_NULL, port));
	C(Bcast, port, sizeof port, MPI_CHAR, 0, W);
	if (me % 2)
		rc("connect", C(Comm_connect, port, MPI_INFO_NULL, 0, half,
				&c));
	else
		rc("accept", C(Comm_accept, port, MPI_INFO_NULL, 0, half, &c));
	between(c, me % 2);
	C(Comm_disconnect, &c);
	C(Comm_free, &half);
	if (!me) {
		C(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
		C(Comm_set_errhandler, MPI_COMM_SELF, MPI_ERRORS_RETURN);
		/* there may be nobody to keep names: the same both times */
		rc("publish", C(Publish_name, "tape-conform", MPI_INFO_NULL,
				port));
		rc("look up", C(Lookup_name, "tape-conform", MPI_INFO_NULL,
				found));
		say("%d\n", !strcmp(port, found));
		rc("unpublish", C(Unpublish_name, "tape-conform",
				  MPI_INFO_NULL, port));
		rc("close", C(Close_port, port));
		C(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
		C(Comm_set_errhandler, MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
	}
	C(Barrier, W);
}

/* Ranks 0 and 1 over a socket of their own. */
static void joined(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t n = sizeof a;
	MPI_Comm c;
	int fd, s;

	say("# joined\n");
	if (me > 1 || size < 2)
		return;
	s = socket(AF_INET, SOCK_STREAM, 0);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!me) {
		if (bind(s, (void *)&a, n) || listen(s, 1) ||
		    getsockname(s, (void *)&a, &n))
			say("no socket\n");
		C(Send, &a.sin_port, 1, MPI_SHORT, 1, 1, W);
		fd = accept(s, NULL, NULL);
	} else {
		C(Recv, &a.sin_port, 1, MPI_SHORT, 0, 1, W, IGNORE);
		fd = connect(s, (void *)&a, n) ? -1 : s;
	}
	rc("join", C(Comm_join, fd, &c));
	between(c, me);
	C(Comm_disconnect, &c);
	close(fd);
	close(s);
}

/* A process that was started says and counts nothing: its trace is its own. */
static int child(void)
{
	MPI_Comm parent;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(W, &me);
	text = malloc(LOG_MAX);
	MPI_Comm_get_parent(&parent);
	between(parent, 0);
	MPI_Comm_disconnect(&parent);
	return MPI_Finalize();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "child"))
		return child();
	start(&argc, &argv);
	halves();
	neighbours();
	/* Debian's MPICH 4.0 can do none of these: "Error in spawn call" */
	if (IS_OPEN_MPI) {
		started(argv[0]);
		ports();
		joined();
	}
	return finish(argc > 1 ? argv[1] : "counts");
}
