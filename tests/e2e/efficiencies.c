/*
 * efficiencies CASE: a program whose factors of efficiency are known. On a
 * simulated machine its times are those of compute_for(). A message takes 1 us,
 * and a byte 1 ns; all messages but those of "transfers" and "large" are short,
 * so that their time is neglected. Rank 0 prints the truth:
 *
 *	truth BALANCE SERIALISATION TRANSFER
 *
 * from closed formulas of the number of ranks. W is the work of a step, ms.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tape.h>

#define W MPI_COMM_WORLD
#define BYTES MPI_BYTE
#define ANY MPI_STATUS_IGNORE
enum { STEPS = 32, MEGA = 1000000 };

static int me, n;
static char *data;
static double sum, one = 1;

static void compute_for(double ms)
{
	SMPI_SAMPLE_DELAY(ms * 1e-3);
}

static void print_truth(double balance, double serialisation, double transfer)
{
	if (!me)
		printf("truth %.9f %.9f %.9f\n", balance, serialisation,
		       transfer);
}

static void add_all(void)
{
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, W);
}

/* One works after the other. */
static void pass_token(void)
{
	if (me)
		MPI_Recv(data, 1, BYTES, me - 1, 1, W, ANY);
	compute_for(20);
	if (me + 1 < n)
		MPI_Send(data, 1, BYTES, me + 1, 1, W);
	print_truth(1, 1.0 / n, 1);
}

/* Each step is worked on by all ranks, one after the other. */
static void run_pipeline(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me)
			MPI_Recv(data, 1, BYTES, me - 1, 1, W, ANY);
		compute_for(2);
		if (me + 1 < n)
			MPI_Send(data, 1, BYTES, me + 1, 1, W);
	}
	print_truth(1, (double)STEPS / (STEPS + n - 1), 1);
}

/* The rank that works longer changes: 3 ms, the others 1. */
static void take_turns(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(i % n == me ? 3 : 1);
		add_all();
	}
	print_truth(1, (3.0 + n - 1) / (3 * n), 1);
}

/* The same, with a collective that ends in a later call. */
static void take_turns_later(void)
{
	MPI_Request r;

	for (int i = 0; i < STEPS; i++) {
		compute_for(i % n == me ? 3 : 1);
		MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, W, &r);
		MPI_Wait(&r, ANY);
	}
	print_truth(1, (3.0 + n - 1) / (3 * n), 1);
}

/* Half of the time is that of messages. */
static void transfer_blocks(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(1);
		MPI_Sendrecv(data, MEGA, BYTES, (me + 1) % n, 1, data + MEGA,
			     MEGA, BYTES, (me + n - 1) % n, 1, W, ANY);
	}
	print_truth(1, 1, 0.5);
}

/* Rank 0 has all the work of a step, of which another is the cause. */
static void slow_one_rank(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me ? 1 : 2);
		add_all();
	}
	print_truth((n + 1.0) / (2 * n), 1, 1);
}

/* All wait for the root, which changes. */
static void change_roots(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (i % n == me)
			compute_for(2);
		MPI_Bcast(data, 8, BYTES, i % n, W);
	}
	print_truth(1, 1.0 / n, 1);
}

/* Rank 0 waits for all. */
static void gather_late(void)
{
	double value = me;

	for (int i = 0; i < STEPS; i++) {
		if (me)
			compute_for(2);
		MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, W);
	}
	print_truth((n - 1.0) / n, 1, 1);
}

/* A rank waits for those before it: the last one for rank 0, n * 2 ms. */
static void scan_prefixes(void)
{
	compute_for(2.0 * (n - me));
	MPI_Scan(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, W);
	compute_for(2.0 * (me + 1));
	print_truth(1, (n + 1.0) / (2 * n), 1);
}

/* A synchronous send waits until its receive is posted. */
static void send_synchronously(void)
{
	if (me % 2) {
		compute_for(10);
		MPI_Recv(data, 8, BYTES, me - 1, 1, W, ANY);
	} else {
		MPI_Ssend(data, 8, BYTES, me + 1, 1, W);
		compute_for(10);
	}
	print_truth(1, 0.5, 1);
}

/* So does a large one: 10 ms, a transfer of 5 ms, 10 ms. */
static void send_large(void)
{
	MPI_Request r;

	if (me % 2) {
		compute_for(10);
		MPI_Recv(data, 5 * MEGA, BYTES, me - 1, 1, W, ANY);
	} else {
		MPI_Isend(data, 5 * MEGA, BYTES, me + 1, 1, W, &r);
		MPI_Wait(&r, ANY);
		compute_for(10);
	}
	print_truth(1, 0.5, 0.8);
}

/* Rank 0 gives each of the others work as it asks for it. */
static void serve_workers(void)
{
	MPI_Status st;

	if (!me) {
		for (int i = 0; i < STEPS * (n - 1); i++) {
			MPI_Recv(data, 1, BYTES, MPI_ANY_SOURCE, 1, W, &st);
			MPI_Send(data, 1, BYTES, st.MPI_SOURCE, 2, W);
		}
	} else {
		for (int i = 0; i < STEPS; i++) {
			MPI_Send(data, 1, BYTES, 0, 1, W);
			MPI_Recv(data, 1, BYTES, 0, 2, W, ANY);
			compute_for(2);
		}
	}
	print_truth((n - 1.0) / n, 1, 1);
}

/*
 * A message of 4 ms is there before it is received: what it takes does not
 * make ranks wait. Without it the neighbour still has to send.
 */
static void hide_transfer(void)
{
	MPI_Request r[2];

	for (int i = 0; i < STEPS; i++) {
		MPI_Irecv(data, 4 * MEGA, BYTES, (me + n - 1) % n, 1, W, &r[0]);
		MPI_Isend(data + 4 * MEGA, 4 * MEGA, BYTES, (me + 1) % n, 1, W,
			  &r[1]);
		compute_for(5);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	print_truth(1, 1, 1);
}

/* Ranks work in turn in "serial", and alike in "even", twice as long. */
static void run_regions(void)
{
	for (int i = 0; i < 8; i++) {
		tape_enter("serial");
		if (me)
			MPI_Recv(data, 1, BYTES, me - 1, 1, W, ANY);
		compute_for(1);
		if (me + 1 < n)
			MPI_Send(data, 1, BYTES, me + 1, 1, W);
		MPI_Barrier(W);
		tape_leave();
		tape_enter("even");
		tape_enter("inner");
		compute_for(2);
		tape_leave();
		MPI_Barrier(W);
		tape_leave();
	}
	print_truth(1, 3.0 / (n + 2), 1);
}

/*
 * The work is 16 ms a step, divided by the ranks, and 1 ms of each; rank 0 has
 * one more. Then messages of 1 ms. With n ranks a step takes 16 / n + 3 ms.
 */
static void scale_strongly(void)
{
	double share = 16.0 / n, step = share + 3;

	for (int i = 0; i < 20; i++) {
		compute_for(share + (me ? 1 : 2));
		add_all();
		MPI_Sendrecv(data, MEGA, BYTES, (me + 1) % n, 1, data + MEGA,
			     MEGA, BYTES, (me + n - 1) % n, 1, W, ANY);
	}
	print_truth((share + 1 + 1.0 / n) / (share + 2), 1, (share + 2) / step);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
	    {"token_ring", pass_token},
	    {"pipeline", run_pipeline},
	    {"turns", take_turns},
	    {"turns_later", take_turns_later},
	    {"transfers", transfer_blocks},
	    {"slow_rank", slow_one_rank},
	    {"roots", change_roots},
	    {"gathered", gather_late},
	    {"prefixes", scan_prefixes},
	    {"synchronous", send_synchronously},
	    {"large", send_large},
	    {"workers", serve_workers},
	    {"hidden", hide_transfer},
	    {"regions", run_regions},
	    {"strong", scale_strongly},
	};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &n);
	data = calloc(8, MEGA);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			cases[i].run();
	free(data);
	MPI_Finalize();
	return 0;
}
