/*
 * Many small events, so that what they cost is of the order of what they take.
 *
 *	loop N      irecv, send, wait, wtime
 *	window N    64 requests at once, waited for together
 *	parts N     the same, by waitany, waitsome, testall
 *	again N     persistent requests, ready and synchronous sends
 *	both N      sendrecv in a ring, and collectives
 *	others N    each sends to all others, of growing size
 *	any N       the same to all, received from any, all sends blocking or
 *		    not by turns
 *	empty N     collectives that move nothing, or not between all
 *	nobody N    messages of MPI_PROC_NULL, received by matched probes
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, MOST = 65536 };

static int me, np;
static char out[MOST], in[WINDOW][MOST / WINDOW];

static void loop(int n)
{
	int peer = me ^ 1;
	MPI_Request q;

	for (int i = 0; i < n; i++) {
		MPI_Irecv(in[0], 4, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &q);
		MPI_Send(out, 4, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Wtime();
	}
}

static void begin(MPI_Request *q)
{
	for (int k = 0; k < WINDOW; k++)
		if (me & 1)
			MPI_Irecv(in[k], 1024, MPI_CHAR, me ^ 1, 2,
				  MPI_COMM_WORLD, &q[k]);
		else
			MPI_Isend(out, 1024, MPI_CHAR, me ^ 1, 2,
				  MPI_COMM_WORLD, &q[k]);
}

static void answer(void)
{
	if (me & 1)
		MPI_Send(out, 4, MPI_CHAR, me ^ 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(out, 4, MPI_CHAR, me ^ 1, 3, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

static void window(int n)
{
	MPI_Request q[WINDOW];

	for (int i = 0; i < n; i++) {
		begin(q);
		MPI_Waitall(WINDOW, q, MPI_STATUSES_IGNORE);
		answer();
	}
}

static void parts(int n)
{
	int done, which[WINDOW], left;
	MPI_Request q[WINDOW];

	for (int i = 0; i < n; i++) {
		begin(q);
		for (left = WINDOW; left > WINDOW / 2; left--)
			MPI_Waitany(WINDOW, q, &done, MPI_STATUS_IGNORE);
		while (left > WINDOW / 4) {
			MPI_Waitsome(WINDOW, q, &done, which,
				     MPI_STATUSES_IGNORE);
			left -= done;
		}
		for (done = 0; !done; )
			MPI_Testall(WINDOW, q, &done, MPI_STATUSES_IGNORE);
		answer();
	}
}

static void again(int n)
{
	MPI_Request q[3];

	MPI_Recv_init(in[0], 8, MPI_CHAR, me ^ 1, 4, MPI_COMM_WORLD, &q[0]);
	MPI_Ssend_init(out, 8, MPI_CHAR, me ^ 1, 4, MPI_COMM_WORLD, &q[1]);
	for (int i = 0; i < n; i++) {
		MPI_Startall(2, q);
		MPI_Wait(&q[i & 1], MPI_STATUS_IGNORE);
		MPI_Wait(&q[~i & 1], MPI_STATUS_IGNORE);
		MPI_Irecv(in[1], 4, MPI_CHAR, me ^ 1, 5, MPI_COMM_WORLD, &q[2]);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Rsend(out, 4, MPI_CHAR, me ^ 1, 5, MPI_COMM_WORLD);
		MPI_Wait(&q[2], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
}

static void both(int n)
{
	int sum = 0, one = 1;

	for (int i = 0; i < n; i++) {
		MPI_Sendrecv(out, 64, MPI_CHAR, (me + 1) % np, 6, in[0], 64,
			     MPI_CHAR, (me + np - 1) % np, 6, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Bcast(out, 64, MPI_CHAR, i % np, MPI_COMM_WORLD);
		MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, i % np,
			   MPI_COMM_WORLD);
		MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
}

/* Blocking to the one, non-blocking to the other, into a rendezvous. */
static void others(int n)
{
	static char to[8][MOST];
	MPI_Request q[8], s[8];
	int sent;

	for (int i = 0; i < n; i++) {
		int bytes = 64 << i % 11;

		for (int k = 0; k < np; k++)
			MPI_Irecv(to[k], bytes, MPI_CHAR, k, 7, MPI_COMM_WORLD,
				  &q[k]);
		sent = 0;
		for (int k = 0; k < np; k++)
			if (k == me || (k + i) % 2)
				MPI_Isend(out, bytes, MPI_CHAR, k, 7,
					  MPI_COMM_WORLD, &s[sent++]);
			else
				MPI_Send(out, bytes, MPI_CHAR, k, 7,
					 MPI_COMM_WORLD);
		MPI_Waitall(sent, s, MPI_STATUSES_IGNORE);
		MPI_Waitall(np, q, MPI_STATUSES_IGNORE);
	}
}

/* Who receives what is known only behind sends, of which some wait for that. */
static void any(int n)
{
	static char to[8][MOST];
	MPI_Request q[8], s;

	for (int i = 0; i < n; i++) {
		int bytes = 64 << i % 11;

		for (int k = 0; k < np - 1; k++)
			MPI_Irecv(to[k], bytes, MPI_CHAR, MPI_ANY_SOURCE, 9,
				  MPI_COMM_WORLD, &q[k]);
		MPI_Irecv(to[np], 4, MPI_CHAR, MPI_ANY_SOURCE, 9, MPI_COMM_SELF,
			  &q[np - 1]);
		MPI_Cancel(&q[np - 1]);
		for (int k = 1; k < np; k++) {
			int other = (me + k) % np;

			if (i % 2) {
				MPI_Send(out, bytes, MPI_CHAR, other, 9,
					 MPI_COMM_WORLD);
				continue;
			}
			MPI_Isend(out, bytes, MPI_CHAR, other, 9,
				  MPI_COMM_WORLD, &s);
			MPI_Wait(&s, MPI_STATUS_IGNORE);
		}
		MPI_Waitall(np, q, MPI_STATUSES_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/*
 * The libraries leave some at once: then the other rank may begin its own when
 * what was sent behind the first has come.
 */
static void empty(int n)
{
	int late = 0, counts[2] = { 0, 1 }, at[2] = { 0, 1 };
	int a[2] = { 0 }, b[2];

	for (int i = 0; i < n; i++) {
		if (me == late)
			MPI_Recv(in[0], 4, MPI_CHAR, !me, 10, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		MPI_Scatter(a, 0, MPI_INT, b, 0, MPI_INT, late, MPI_COMM_WORLD);
		MPI_Scan(a, b, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Reduce(a, b, 0, MPI_INT, MPI_SUM, !late, MPI_COMM_WORLD);
		MPI_Scatterv(a, counts, at, MPI_INT, b, counts[me], MPI_INT, 1,
			     MPI_COMM_WORLD);
		if (me != late)
			MPI_Send(out, 4, MPI_CHAR, !me, 10, MPI_COMM_WORLD);
		MPI_Bcast(a, 0, MPI_INT, late, MPI_COMM_WORLD);
		MPI_Alltoallv(a, counts, at, MPI_INT, b, counts, at, MPI_INT,
			      MPI_COMM_SELF);
		MPI_Allreduce(a, b, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		if (i % 3 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* Their handle is the same for all of them. */
static void nobody(int n)
{
	MPI_Message m[3];
	MPI_Request q[2];

	for (int i = 0; i < n; i++) {
		MPI_Sendrecv(out, 64, MPI_CHAR, me ^ 1, 8, in[0], 64, MPI_CHAR,
			     me ^ 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int k = 0; k < 3; k++)
			MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m[k],
				   MPI_STATUS_IGNORE);
		MPI_Imrecv(in[0], 64, MPI_CHAR, &m[0], &q[0]);
		MPI_Mrecv(in[0], 64, MPI_CHAR, &m[1], MPI_STATUS_IGNORE);
		MPI_Imrecv(in[0], 64, MPI_CHAR, &m[2], &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*f)(int);
	} all[] = { { "loop", loop }, { "window", window }, { "parts", parts },
		    { "again", again }, { "both", both },
		    { "others", others }, { "any", any }, { "empty", empty },
		    { "nobody", nobody } };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (argc > 2 && !strcmp(argv[1], all[i].name))
			all[i].f(atoi(argv[2]));
	MPI_Finalize();
	return 0;
}
