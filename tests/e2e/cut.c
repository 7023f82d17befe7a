/*
 * Messages and collectives of sizes that come once each, of many kinds and at
 * times that a seed decides, so that who pairs the wrong ones sees it by their
 * sizes.
 *	cut STEPS SEED
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1 << 20, AHEAD = 6 };

static char out[AHEAD][MOST], in[AHEAD][MOST];
static int me, n;

static void work(int us)
{
	struct timespec t = {0, us * 1000L};

	nanosleep(&t, NULL);
}

/* Of step and kind, from that rank: no other has it. */
static int size_of(int step, int kind, int from)
{
	return 1 + ((step * 8 + kind) * n + from) % (MOST - 1);
}

/* Several are under way, and are received much later. */
static void later(int step)
{
	static MPI_Request r[2 * AHEAD];
	static int at;
	int to = (me + 1) % n, from = (me + n - 1) % n;

	if (!at)
		for (int i = 0; i < 2 * AHEAD; i++)
			r[i] = MPI_REQUEST_NULL;
	MPI_Waitall(2, r + 2 * (at % AHEAD), MPI_STATUSES_IGNORE);
	if (step < 0) {
		MPI_Waitall(2 * AHEAD, r, MPI_STATUSES_IGNORE);
		return;
	}
	MPI_Irecv(in[at % AHEAD], MOST, MPI_BYTE, from, 1, MPI_COMM_WORLD,
		  &r[2 * (at % AHEAD)]);
	MPI_Isend(out[at % AHEAD], size_of(step, 1, me) % 30000, MPI_BYTE, to,
		  1, MPI_COMM_WORLD, &r[2 * (at % AHEAD) + 1]);
	at++;
}

/* Sent long before it is received. */
static void early(int step, int finish)
{
	static int sent, received;
	static char buffer[1 << 16];

	if (me == 0 && !finish)
		MPI_Send(buffer, 1 + step % 4000, MPI_BYTE, n - 1, 2,
			 MPI_COMM_WORLD);
	sent += !finish;
	while (me == n - 1 && received < sent - (finish ? 0 : 5)) {
		MPI_Recv(buffer, sizeof buffer, MPI_BYTE, 0, 2, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		received++;
	}
}

static void persistent(int step)
{
	static MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	static char a[64], b[64];

	if (r[0] == MPI_REQUEST_NULL) {
		MPI_Recv_init(a, 64, MPI_BYTE, (me + n - 1) % n, 3,
			      MPI_COMM_WORLD, &r[0]);
		MPI_Send_init(b, 1 + me, MPI_BYTE, (me + 1) % n, 3,
			      MPI_COMM_WORLD, &r[1]);
	} else {
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	if (step >= 0)
		MPI_Startall(2, r);
	else
		for (int i = 0; i < 2; i++)
			MPI_Request_free(&r[i]);
}

static void together(int step)
{
	static MPI_Request r = MPI_REQUEST_NULL;
	static char one[MOST], two[MOST];
	double x = me, y;

	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Bcast(one, size_of(step, 4, 0) % 5000, MPI_BYTE, step % n,
		  MPI_COMM_WORLD);
	if (step % 3 == 0)
		MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, step % n,
			   MPI_COMM_WORLD);
	if (step % 7 == 0)
		MPI_Ibcast(two, 1 + step % 3000, MPI_BYTE, 0, MPI_COMM_WORLD,
			   &r);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1, mine;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	mine = seed + 17 * (unsigned)me;
	for (int i = 0; i < steps; i++) {
		int kind = rand_r(&seed) % 6; /* the same at all ranks */

		work(rand_r(&mine) % 300);
		if (kind == 0)
			together(i);
		else if (kind == 1)
			early(i, 0);
		else if (kind == 2)
			persistent(i);
		else if (kind == 3)
			MPI_Sendrecv(out[0], size_of(i, 5, me) % 20000,
				     MPI_BYTE, (me + 1) % n, 5, in[0], MOST,
				     MPI_BYTE, (me + n - 1) % n, 5,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			later(i);
	}
	early(0, 1);
	later(-1);
	persistent(1);
	persistent(-1);
	MPI_Finalize();
	return 0;
}
