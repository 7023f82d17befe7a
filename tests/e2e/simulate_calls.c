/*
 * Calls of most kinds that SimGrid's MPI has, on 4 ranks or more: prints when
 * it is over, and on rank 0 how often each call was made by all ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 16
#define KINDS 100
static struct {
	const char *name;
	int calls;
} kinds[KINDS];
static int n_kinds, rank, size;

/* text: MPI_NAME(...), or what tapepp makes of it. */
static void count(const char *text)
{
	size_t n;
	int i = 0;

	text += strncmp(text, "tape_", 5) ? 0 : 5;
	n = strcspn(text, "(");
	while (i < n_kinds && strncmp(kinds[i].name, text, n + 1))
		i++;
	if (i == n_kinds)
		kinds[n_kinds++].name = text;
	kinds[i].calls++;
}
#define DO(call) (count(#call), call)
#define W MPI_COMM_WORLD

static void collectives(MPI_Comm comm)
{
	int n, me, a[N * 64] = {0}, b[N * 64] = {0}, each[64], at[64];

	DO(MPI_Comm_size(comm, &n));
	DO(MPI_Comm_rank(comm, &me));
	for (int i = 0; i < n; i++)
		each[i] = 1 + i % 3, at[i] = 3 * i;
	DO(MPI_Barrier(comm));
	DO(MPI_Bcast(a, N, MPI_INT, n - 1, comm));
	DO(MPI_Reduce(a, b, N, MPI_INT, MPI_SUM, 0, comm));
	DO(MPI_Allreduce(a, b, N, MPI_INT, MPI_MAX, comm));
	DO(MPI_Gather(a, N, MPI_INT, b, N, MPI_INT, 0, comm));
	DO(MPI_Gatherv(a, each[me], MPI_INT, b, each, at, MPI_INT, 0, comm));
	DO(MPI_Scatter(a, N, MPI_INT, b, N, MPI_INT, 0, comm));
	DO(MPI_Scatterv(a, each, at, MPI_INT, b, each[me], MPI_INT, 0, comm));
	DO(MPI_Allgather(a, N, MPI_INT, b, N, MPI_INT, comm));
	DO(MPI_Allgatherv(a, each[me], MPI_INT, b, each, at, MPI_INT, comm));
	DO(MPI_Alltoall(a, N, MPI_INT, b, N, MPI_INT, comm));
	DO(MPI_Scan(a, b, N, MPI_INT, MPI_SUM, comm));
	DO(MPI_Exscan(a, b, N, MPI_INT, MPI_SUM, comm));
	DO(MPI_Reduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, comm));
}

static void nonblocking(void)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	int a[N] = {0}, b[2][N], flag = 0, index, n, which[4];
	MPI_Request r[4];
	MPI_Status s[4];

	for (int i = 0; i < 2; i++)
		DO(MPI_Irecv(b[i], N, MPI_INT, before, i, W, &r[i]));
	for (int i = 0; i < 2; i++)
		DO(MPI_Isend(a, N, MPI_INT, next, i, W, &r[2 + i]));
	DO(MPI_Waitany(4, r, &index, s));
	DO(MPI_Waitall(4, r, s));
	DO(MPI_Irecv(b[0], N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, r));
	DO(MPI_Issend(a, N, MPI_INT, next, 7, W, r + 1));
	DO(MPI_Waitsome(2, r, &n, which, s));
	while (n != MPI_UNDEFINED)
		DO(MPI_Waitsome(2, r, &n, which, s));
	DO(MPI_Isend(a, N, MPI_INT, next, 9, W, r));
	DO(MPI_Probe(before, 9, W, s));
	DO(MPI_Recv(b[0], N, MPI_INT, before, 9, W, MPI_STATUS_IGNORE));
	DO(MPI_Wait(r, MPI_STATUS_IGNORE));
	DO(MPI_Isend(a, N, MPI_INT, MPI_PROC_NULL, 9, W, r));
	DO(MPI_Irecv(b[0], N, MPI_INT, MPI_PROC_NULL, 9, W, r + 1));
	DO(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	DO(MPI_Iallreduce(a, b[0], N, MPI_INT, MPI_SUM, W, r));
	DO(MPI_Ibarrier(W, r + 1));
	DO(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	DO(MPI_Irecv(b[0], N, MPI_INT, before, 11, W, r));
	DO(MPI_Send(a, N, MPI_INT, next, 11, W));
	while (!flag)
		DO(MPI_Test(r, &flag, s));
	DO(MPI_Send_init(a, N, MPI_INT, next, 3, W, &r[0]));
	DO(MPI_Recv_init(b[0], N, MPI_INT, before, 3, W, &r[1]));
	for (int i = 0; i < 3; i++) {
		DO(MPI_Startall(2, r));
		DO(MPI_Waitall(2, r, s));
	}
	DO(MPI_Request_free(&r[0]));
	DO(MPI_Request_free(&r[1]));
	DO(MPI_Sendrecv(a, N, MPI_INT, next, 5, b[0], N, MPI_INT, before, 5, W,
			MPI_STATUS_IGNORE));
	DO(MPI_Sendrecv_replace(a, N, MPI_INT, next, 5, before, 5, W, s));
	DO(MPI_Get_count(s, MPI_INT, &n));
}

static void communicators(void)
{
	MPI_Comm half, twin, grid, others;
	MPI_Group all, some;
	int dims[1] = {size}, periods[1] = {1}, from, to, one[1] = {0};

	DO(MPI_Comm_split(W, rank % 2, rank, &half));
	collectives(half);
	DO(MPI_Comm_dup(half, &twin));
	DO(MPI_Barrier(twin));
	DO(MPI_Cart_create(W, 1, dims, periods, 0, &grid));
	DO(MPI_Cart_shift(grid, 0, 1, &from, &to));
	DO(MPI_Sendrecv(one, 1, MPI_INT, to, 0, dims, 1, MPI_INT, from, 0, grid,
			MPI_STATUS_IGNORE));
	DO(MPI_Comm_free(&grid)); /* met by all ranks in one order */
	DO(MPI_Comm_group(W, &all));
	DO(MPI_Group_excl(all, 1, one, &some));
	DO(MPI_Comm_create(W, some, &others));
	if (others != MPI_COMM_NULL) {
		DO(MPI_Barrier(others));
		DO(MPI_Comm_free(&others));
	}
	DO(MPI_Group_free(&some));
	DO(MPI_Group_free(&all));
	DO(MPI_Comm_free(&twin));
	DO(MPI_Comm_free(&half));
}

static void windows(void)
{
	int memory[N] = {0}, got[N];
	MPI_Win win;

	DO(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL,
			  W, &win));
	DO(MPI_Win_fence(0, win));
	DO(MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, win));
	DO(MPI_Win_fence(0, win));
	DO(MPI_Get(got, N, MPI_INT, (rank + 1) % size, 0, N, MPI_INT, win));
	DO(MPI_Win_fence(0, win));
	DO(MPI_Accumulate(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win));
	DO(MPI_Win_fence(0, win));
	DO(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
	MPI_Datatype pair;
	double end;
	int *all;

	DO(MPI_Init(&argc, &argv));
	DO(MPI_Comm_rank(W, &rank));
	DO(MPI_Comm_size(W, &size));
	DO(MPI_Type_contiguous(2, MPI_INT, &pair));
	DO(MPI_Type_commit(&pair));
	collectives(W);
	nonblocking();
	communicators();
	windows();
	DO(MPI_Type_free(&pair));
	end = DO(MPI_Wtime());
	printf("end %d %.12f\n", rank, end);
	count("MPI_Reduce(");
	count("MPI_Finalize(");
	all = calloc(KINDS, sizeof *all);
	for (int i = 0; i < n_kinds; i++)
		all[i] = kinds[i].calls;
	MPI_Reduce(rank ? all : MPI_IN_PLACE, all, KINDS, MPI_INT, MPI_SUM, 0,
		   W);
	for (int i = 0; !rank && i < n_kinds; i++)
		printf("calls %.*s %d\n", (int)strcspn(kinds[i].name, "("),
		       kinds[i].name, all[i]);
	MPI_Finalize();
	return 0;
}
