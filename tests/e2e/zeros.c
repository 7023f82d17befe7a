/*
 * Collectives in which some members have no part: zero counts, groups that
 * receive nothing, communicators that nobody else is in. In each the last rank
 * comes late; who need not wait for it may leave. Run with 4 ranks.
 *
 *	zeros [KIND]	all kinds, or those whose names hold KIND
 *
 * Writes zeros.R for each rank: the kind, when it began and ended, in
 * nanoseconds of one clock of the host.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 64, LATE_US = 3000 };

static int me, n, me_in, n_in, side;
static MPI_Comm world, both, ring, half, line;
static int in[4 * N], out[4 * N];
static int few[N], at[N], nobody[N];
static MPI_Aint bytes_at[N];
static MPI_Datatype types[N];
static MPI_Request request;
static FILE *said;

#define WAIT MPI_Wait(&request, MPI_STATUS_IGNORE)
#define LAST (n - 1)
#define I MPI_INT

/* counts: of every rank, but none of the last one; or of the last one only */
static void parts(int *counts, int of_last, int of_others)
{
	for (int i = 0; i < n; i++)
		counts[i] = i == LAST ? of_last : of_others;
}

/* ---- counts that differ from rank to rank ---- */

static void gatherv(void)
{
	parts(few, 0, 2);
	MPI_Gatherv(out, few[me], I, in, few, at, I, 0, world);
}

static void igatherv(void)
{
	parts(few, 0, 2);
	MPI_Igatherv(out, few[me], I, in, few, at, I, 0, world, &request);
	WAIT;
}

static void scatterv(void)
{
	parts(few, 2, 0);
	MPI_Scatterv(out, few, at, I, in, few[me], I, LAST, world);
}

static void iscatterv(void)
{
	parts(few, 2, 0);
	MPI_Iscatterv(out, few, at, I, in, few[me], I, LAST, world, &request);
	WAIT;
}

static void allgatherv(void)
{
	parts(few, 0, 2);
	MPI_Allgatherv(out, few[me], I, in, few, at, I, world);
}

static void iallgatherv(void)
{
	parts(few, 0, 2);
	MPI_Iallgatherv(out, few[me], I, in, few, at, I, world, &request);
	WAIT;
}

static void alltoallv(void)
{
	parts(few, 0, 2);
	MPI_Alltoallv(out, me == LAST ? nobody : few, at, I, in,
		      me == LAST ? nobody : few, at, I, world);
}

static void ialltoallv(void)
{
	parts(few, 0, 2);
	MPI_Ialltoallv(out, me == LAST ? nobody : few, at, I, in,
		       me == LAST ? nobody : few, at, I, world, &request);
	WAIT;
}

static void alltoallw(void)
{
	parts(few, 0, 2);
	MPI_Alltoallw(out, me == LAST ? nobody : few, at, types, in,
		      me == LAST ? nobody : few, at, types, world);
}

static void ialltoallw(void)
{
	parts(few, 0, 2);
	MPI_Ialltoallw(out, me == LAST ? nobody : few, at, types, in,
		       me == LAST ? nobody : few, at, types, world, &request);
	WAIT;
}

static void reduce_scatter(void)
{
	parts(few, 8, 0);
	MPI_Reduce_scatter(out, in, few, I, MPI_SUM, world);
}

static void reduce_scatter_first(void)
{
	memset(few, 0, sizeof few);
	few[0] = 1;
	MPI_Reduce_scatter(out, in, few, I, MPI_SUM, world);
}

static void ireduce_scatter(void)
{
	parts(few, 8, 0);
	MPI_Ireduce_scatter(out, in, few, I, MPI_SUM, world, &request);
	WAIT;
}

/* ---- nothing at all ---- */

static void reduce_scatter_none(void)
{
	MPI_Reduce_scatter(out, in, nobody, I, MPI_SUM, world);
}

static void reduce_scatter_block(void)
{
	MPI_Reduce_scatter_block(out, in, 0, I, MPI_SUM, world);
}

static void bcast(void)
{
	MPI_Bcast(in, 0, I, LAST, world);
}

static void gather(void)
{
	MPI_Gather(out, 0, I, in, 0, I, 0, world);
}

static void scatter(void)
{
	MPI_Scatter(out, 0, I, in, 0, I, LAST, world);
}

static void allgather(void)
{
	MPI_Allgather(out, 0, I, in, 0, I, world);
}

static void alltoall(void)
{
	MPI_Alltoall(out, 0, I, in, 0, I, world);
}

static void reduce(void)
{
	MPI_Reduce(out, in, 0, I, MPI_SUM, 0, world);
}

static void allreduce(void)
{
	MPI_Allreduce(out, in, 0, I, MPI_SUM, world);
}

static void iallreduce(void)
{
	MPI_Iallreduce(out, in, 0, I, MPI_SUM, world, &request);
	WAIT;
}

static void scan(void)
{
	MPI_Scan(out, in, 0, I, MPI_SUM, world);
}

static void exscan(void)
{
	MPI_Exscan(out, in, 0, I, MPI_SUM, world);
}

/* ---- neighbours ---- */

/* Ring: each receives from the one before; the last rank sends nothing. */
static void neighbor_allgatherv(void)
{
	int from_last = me == 0 ? 0 : 2;

	MPI_Neighbor_allgatherv(out, me == LAST ? 0 : 2, I, in, &from_last, at,
				I, ring);
}

static void neighbor_alltoall(void)
{
	MPI_Neighbor_alltoall(out, me == LAST ? 0 : 2, I, in, me ? 2 : 0, I,
			      ring);
}

static void neighbor_alltoallv(void)
{
	int gives = me == LAST ? 0 : 2, gets = me ? 2 : 0;

	MPI_Neighbor_alltoallv(out, &gives, at, I, in, &gets, at, I, ring);
}

static void neighbor_alltoallw(void)
{
	int gives = me == LAST ? 0 : 2, gets = me ? 2 : 0;

	MPI_Neighbor_alltoallw(out, &gives, bytes_at, types, in, &gets,
			       bytes_at, types, ring);
}

static void ineighbor_alltoall(void)
{
	MPI_Ineighbor_alltoall(out, me == LAST ? 0 : 2, I, in, me ? 2 : 0, I,
			       ring, &request);
	WAIT;
}

static void ineighbor_allgatherv(void)
{
	int from_last = me == 0 ? 0 : 2;

	MPI_Ineighbor_allgatherv(out, me == LAST ? 0 : 2, I, in, &from_last,
				 at, I, ring, &request);
	WAIT;
}

/* ---- two groups: ranks 0 and 1 send, the others do not ---- */

static void inter_barrier(void)
{
	MPI_Barrier(both);
}

static void inter_allgather(void)
{
	MPI_Allgather(out, side ? 0 : 2, I, in, side ? 2 : 0, I, both);
}

static void inter_iallgather(void)
{
	MPI_Iallgather(out, side ? 0 : 2, I, in, side ? 2 : 0, I, both,
		       &request);
	WAIT;
}

static void inter_allgatherv(void)
{
	parts(few, side ? 2 : 0, side ? 2 : 0);
	MPI_Allgatherv(out, side ? 0 : 2, I, in, few, at, I, both);
}

static void inter_alltoall(void)
{
	MPI_Alltoall(out, side ? 0 : 2, I, in, side ? 2 : 0, I, both);
}

static void inter_ialltoall(void)
{
	MPI_Ialltoall(out, side ? 0 : 2, I, in, side ? 2 : 0, I, both,
		      &request);
	WAIT;
}

static void inter_alltoallv(void)
{
	int gives[2] = {side ? 0 : 2, side ? 0 : 2};
	int gets[2] = {side ? 2 : 0, side ? 2 : 0};

	MPI_Alltoallv(out, gives, at, I, in, gets, at, I, both);
}

static void inter_bcast(void)
{
	MPI_Bcast(in, 4, I, side ? 0 : me_in ? MPI_PROC_NULL : MPI_ROOT, both);
}

static void inter_reduce(void)
{
	MPI_Reduce(out, in, 4, I, MPI_SUM,
		   side ? 0 : me_in ? MPI_PROC_NULL : MPI_ROOT, both);
}

static void inter_gatherv(void)
{
	few[0] = 2;
	few[1] = 0;
	MPI_Gatherv(out, me_in ? 0 : 2, I, in, few, at, I,
		    side ? 0 : me_in ? MPI_PROC_NULL : MPI_ROOT, both);
}

static void inter_reduce_scatter(void)
{
	few[0] = 0;
	few[1] = 4;
	MPI_Reduce_scatter(out, in, few, I, MPI_SUM, both);
}

/* ---- communicators ---- */

static void forget(MPI_Comm *c)
{
	if (*c != MPI_COMM_NULL)
		MPI_Comm_free(c);
}

static void cart_sub(void)
{
	int none[1] = {0};
	MPI_Comm c;

	MPI_Cart_sub(line, none, &c);
	forget(&c);
}

static void graph_create(void)
{
	MPI_Comm c;

	MPI_Graph_create(world, 0, nobody, nobody, 0, &c);
	forget(&c);
}

static void cart_create(void)
{
	MPI_Comm c;

	MPI_Cart_create(world, 0, nobody, nobody, 0, &c);
	forget(&c);
}

static void comm_split(void)
{
	MPI_Comm c;

	MPI_Comm_split(world, MPI_UNDEFINED, 0, &c);
	forget(&c);
}

static void comm_create(void)
{
	MPI_Comm c;

	MPI_Comm_create(world, MPI_GROUP_EMPTY, &c);
	forget(&c);
}

/* ---- persistent, and with large counts ---- */

#if MPI_VERSION >= 4
static void once(void)
{
	MPI_Start(&request);
	WAIT;
	MPI_Request_free(&request);
}

static void reduce_scatter_init(void)
{
	parts(few, 8, 0);
	MPI_Reduce_scatter_init(out, in, few, I, MPI_SUM, world,
				MPI_INFO_NULL, &request);
	once();
}

static void gatherv_init(void)
{
	parts(few, 0, 2);
	MPI_Gatherv_init(out, few[me], I, in, few, at, I, 0, world,
			 MPI_INFO_NULL, &request);
	once();
}

static void scatterv_init(void)
{
	parts(few, 2, 0);
	MPI_Scatterv_init(out, few, at, I, in, few[me], I, LAST, world,
			  MPI_INFO_NULL, &request);
	once();
}

static void allreduce_init(void)
{
	MPI_Allreduce_init(out, in, 0, I, MPI_SUM, world, MPI_INFO_NULL,
			   &request);
	once();
}

static void neighbor_alltoall_init(void)
{
	MPI_Neighbor_alltoall_init(out, me == LAST ? 0 : 2, I, in, me ? 2 : 0,
				   I, ring, MPI_INFO_NULL, &request);
	once();
}

static MPI_Count large[N];
static MPI_Aint large_at[N];

static void large_parts(int of_last, int of_others)
{
	for (int i = 0; i < n; i++)
		large[i] = i == LAST ? of_last : of_others;
}

static void reduce_scatter_c(void)
{
	large_parts(8, 0);
	MPI_Reduce_scatter_c(out, in, large, I, MPI_SUM, world);
}

static void ireduce_scatter_c(void)
{
	large_parts(8, 0);
	MPI_Ireduce_scatter_c(out, in, large, I, MPI_SUM, world, &request);
	WAIT;
}

static void gatherv_c(void)
{
	large_parts(0, 2);
	MPI_Gatherv_c(out, large[me], I, in, large, large_at, I, 0, world);
}

static void scatterv_c(void)
{
	large_parts(2, 0);
	MPI_Scatterv_c(out, large, large_at, I, in, large[me], I, LAST, world);
}

static void allgather_c(void)
{
	MPI_Allgather_c(out, 0, I, in, 0, I, world);
}
#endif

static const struct {
	const char *name;
	void (*does)(void);
} kinds[] = {
#define KIND(x) {#x, x}
	KIND(gatherv), KIND(igatherv), KIND(scatterv), KIND(iscatterv),
	KIND(allgatherv), KIND(iallgatherv), KIND(alltoallv), KIND(ialltoallv),
	KIND(alltoallw), KIND(ialltoallw), KIND(reduce_scatter),
	KIND(reduce_scatter_first), KIND(ireduce_scatter),
	KIND(reduce_scatter_none), KIND(reduce_scatter_block), KIND(bcast),
	KIND(gather), KIND(scatter), KIND(allgather), KIND(alltoall),
	KIND(reduce), KIND(allreduce), KIND(iallreduce), KIND(scan),
	KIND(exscan), KIND(neighbor_allgatherv), KIND(neighbor_alltoallv),
	KIND(neighbor_alltoallw),
#ifndef OPEN_MPI
	/* 4.1.4 leaves out what a rank receives that sends nothing */
	KIND(neighbor_alltoall), KIND(ineighbor_alltoall),
#endif
	KIND(ineighbor_allgatherv),
	KIND(inter_barrier), KIND(inter_allgather), KIND(inter_iallgather),
	KIND(inter_allgatherv), KIND(inter_alltoall), KIND(inter_ialltoall),
	KIND(inter_alltoallv), KIND(inter_bcast), KIND(inter_reduce),
	KIND(inter_gatherv), KIND(inter_reduce_scatter), KIND(cart_sub),
	KIND(graph_create), KIND(cart_create), KIND(comm_split),
	KIND(comm_create),
#if MPI_VERSION >= 4
	KIND(reduce_scatter_init), KIND(gatherv_init), KIND(scatterv_init),
	KIND(allreduce_init), KIND(neighbor_alltoall_init),
	KIND(reduce_scatter_c), KIND(ireduce_scatter_c), KIND(gatherv_c),
	KIND(scatterv_c), KIND(allgather_c),
#endif
};

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void make_comms(void)
{
	int from = (me + n - 1) % n, to = (me + 1) % n;

	MPI_Comm_dup(MPI_COMM_WORLD, &world);
	MPI_Dist_graph_create_adjacent(world, 1, &from, MPI_UNWEIGHTED, 1, &to,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
				       &ring);
	side = me >= n / 2;
	MPI_Comm_split(world, side, 0, &half);
	MPI_Comm_rank(half, &me_in);
	MPI_Comm_size(half, &n_in);
	MPI_Intercomm_create(half, 0, world, side ? 0 : n / 2, 1, &both);
	MPI_Cart_create(world, 1, &n, nobody, 0, &line);
}

/* All come, the last one late. */
static void meet(const char *name, void (*does)(void))
{
	long long begun;

	MPI_Barrier(MPI_COMM_WORLD);
	if (me == LAST)
		usleep(LATE_US);
	begun = now();
	does();
	fprintf(said, "%s %lld %lld\n", name, begun, now());
}

int main(int argc, char **argv)
{
	char name[20];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	snprintf(name, sizeof name, "zeros.%d", me);
	said = fopen(name, "w");
	make_comms();
	for (int i = 0; i < n; i++) {
		at[i] = 16 * i;
		types[i] = I;
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (argc < 2 || strstr(kinds[k].name, argv[1]))
			meet(kinds[k].name, kinds[k].does);
	fclose(said);
	MPI_Comm_free(&line);
	MPI_Comm_free(&both);
	MPI_Comm_free(&half);
	MPI_Comm_free(&ring);
	MPI_Comm_free(&world);
	return MPI_Finalize();
}
