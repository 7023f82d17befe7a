/*
 * Calls that came with MPI-4, with ordinary counts: persistent collectives and
 * what else has its own way; see conform.h, and conform_large.c.
 */
#include "conform.h"

#define MAX 64

static int in[MAX], out[MAX], ones[MAX], steps[MAX], bytes[MAX];
static MPI_Aint far[MAX];
static MPI_Datatype types[MAX];

static void fill(void)
{
	for (int i = 0; i < MAX; i++) {
		in[i] = 100 * me + i;
		out[i] = -1 - me;
		ones[i] = 1;
		steps[i] = i;
		bytes[i] = i * (int)sizeof *in;
		far[i] = bytes[i];
		types[i] = MPI_INT;
	}
}

static void got(const char *what)
{
	ints(what, out, 2 * size + 2);
	fill();
}

/*
 * Twice, once alone and once with another, freed at the end. MPICH 4.0 hangs
 * where three ranks start a scatter again.
 */
#define STARTED(Name, ...)                                                     \
	do {                                                                   \
		MPI_Request q_[2];                                             \
		int done_ = 0;                                                 \
                                                                               \
		C(Name##_init, __VA_ARGS__, c, MPI_INFO_NULL, &q_[0]);         \
		C(Start, &q_[0]);                                              \
		C(Wait, &q_[0], IGNORE);                                       \
		got(#Name);                                                    \
		C(Barrier_init, c, MPI_INFO_NULL, &q_[1]);                     \
		if (!strncmp(#Name, "Scatter", 7)) {                           \
			C(Request_free, &q_[0]);                               \
			C(Name##_init, __VA_ARGS__, c, MPI_INFO_NULL, &q_[0]); \
		}                                                              \
		C(Startall, 2, q_);                                            \
		while (!done_)                                                 \
			C(Testall, 2, q_, &done_, MPI_STATUSES_IGNORE);        \
		got(#Name " again");                                           \
		C(Request_free, &q_[0]);                                       \
		C(Request_free, &q_[1]);                                       \
	} while (0)

static void collective(MPI_Comm c)
{
	say("# collective\n");
	fill();
	STARTED(Bcast, out, 2, MPI_INT, 0);
	STARTED(Gather, in, 1, MPI_INT, out, 1, MPI_INT, 0);
	STARTED(Gatherv, in, 1, MPI_INT, out, ones, steps, MPI_INT, 0);
	STARTED(Scatter, in, 1, MPI_INT, out, 1, MPI_INT, 0);
	STARTED(Scatterv, in, ones, steps, MPI_INT, out, 1, MPI_INT, 0);
	STARTED(Allgather, in, 1, MPI_INT, out, 1, MPI_INT);
	STARTED(Allgatherv, in, 1, MPI_INT, out, ones, steps, MPI_INT);
	STARTED(Alltoall, in, 1, MPI_INT, out, 1, MPI_INT);
	STARTED(Alltoallv, in, ones, steps, MPI_INT, out, ones, steps, MPI_INT);
	STARTED(Alltoallw, in, ones, bytes, types, out, ones, bytes, types);
	STARTED(Reduce, in, out, 2, MPI_INT, MPI_SUM, 0);
	STARTED(Allreduce, in, out, 2, MPI_INT, MPI_SUM);
	STARTED(Reduce_scatter, in, out, ones, MPI_INT, MPI_SUM);
	STARTED(Reduce_scatter_block, in, out, 1, MPI_INT, MPI_SUM);
	STARTED(Scan, in, out, 1, MPI_INT, MPI_SUM);
	STARTED(Exscan, in, out, 1, MPI_INT, MPI_SUM);
}

static void neighbours(void)
{
	int periodic = 1;
	MPI_Comm c;

	say("# neighbours\n");
	C(Cart_create, W, 1, &size, &periodic, 0, &c);
	fill();
	STARTED(Neighbor_allgather, in, 1, MPI_INT, out, 1, MPI_INT);
	STARTED(Neighbor_allgatherv, in, 1, MPI_INT, out, ones, steps, MPI_INT);
	STARTED(Neighbor_alltoall, in, 1, MPI_INT, out, 1, MPI_INT);
	STARTED(Neighbor_alltoallv, in, ones, steps, MPI_INT, out, ones, steps,
		MPI_INT);
	STARTED(Neighbor_alltoallw, in, ones, far, types, out, ones, far,
		types);
	C(Comm_free, &c);
}

static void both_ways(void)
{
	MPI_Request q[2];

	say("# both ways\n");
	fill();
	C(Isendrecv, in, 3, MPI_INT, right, 1, out, MAX, MPI_INT, left, 1, W,
	  &q[0]);
	C(Isendrecv_replace, in + 8, 2, MPI_INT, right, 3, left, 3, W, &q[1]);
	C(Waitall, 2, q, MPI_STATUSES_IGNORE);
	memcpy(out + 4, in + 8, 2 * sizeof *in);
	got("isendrecv");
}

/* Four parts of two integers, twice; those of a second request among them. */
static void parts(void)
{
	MPI_Request q[4];
	int last[] = { 3 }, there;

	say("# parts\n");
	fill();
	C(Psend_init, in, 4, 2, MPI_INT, right, 7, W, MPI_INFO_NULL, &q[0]);
	C(Precv_init, out, 4, 2, MPI_INT, left, 7, W, MPI_INFO_NULL, &q[1]);
	C(Psend_init, in + 20, 1, 3, MPI_INT, right, 7, W, MPI_INFO_NULL,
	  &q[2]);
	C(Precv_init, out + 20, 1, 3, MPI_INT, left, 7, W, MPI_INFO_NULL,
	  &q[3]);
	for (int round = 0; round < 2; round++) {
		C(Startall, 4, q);
		C(Pready, 0, q[2]);
		C(Pready, 0, q[0]);
		C(Pready_range, 1, 2, q[0]);
		C(Pready_list, 1, last, q[0]);
		do
			C(Parrived, q[1], 0, &there);
		while (!there);
		C(Waitall, 4, q, MPI_STATUSES_IGNORE);
		ints("second", out + 20, 3);
		got("parts");
	}
	for (int i = 0; i < 4; i++)
		C(Request_free, &q[i]);
}

static void others(int argc, char **argv)
{
	char value[32] = "";
	int n = sizeof value, flag = -1;
	MPI_Request q;
	MPI_Comm c;
	MPI_Info info;

	say("# others\n");
	C(Comm_idup_with_info, W, MPI_INFO_NULL, &c, &q);
	C(Wait, &q, IGNORE);
	fill();
	C(Allreduce, in, out, 2, MPI_INT, MPI_SUM, c);
	got("duplicate");
	C(Comm_free, &c);
	C(Info_create, &info);
	C(Info_set, info, "key", "value");
	C(Info_get_string, info, "key", &n, value, &flag);
	say("%s %d %d\n", value, n, flag);
	C(Info_free, &info);
	C(Info_create_env, argc, argv, &info);
	C(Info_free, &info);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	C(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
	collective(W);
	neighbours();
	both_ways();
	parts();
	others(argc, argv);
	return finish(argv[1]);
}
