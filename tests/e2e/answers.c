/* Imbalance, late partners, lost messages; see answers.h. */
#include "answers.h"

static double sum, one = 1;

static void add_all(void)
{
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, W); /* SUM */
}

static void exchange_halo(int bytes)
{
	MPI_Request r[4];

	MPI_Irecv(data, bytes, BYTES, (me + 1) % n, 1, W, &r[0]);
	MPI_Irecv(data + bytes, bytes, BYTES, (me + n - 1) % n, 2, W, &r[1]);
	MPI_Isend(data + 2 * bytes, bytes, BYTES, (me + n - 1) % n, 1, W,
		  &r[2]);
	MPI_Isend(data + 2 * bytes, bytes, BYTES, (me + 1) % n, 2, W, &r[3]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE); /* EXCHANGE */
}

static void enter_barrier(void)
{
	MPI_Barrier(W); /* BARRIER */
}

/* ---- nothing to gain ---- */

static void balanced_sum(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(10, 10);
		add_all();
	}
}

static void balanced_halo(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(10, 10);
		exchange_halo(1000);
	}
}

static void balanced_ring(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(5, 5);
		MPI_Sendrecv(data, 1000, BYTES, (me + 1) % n, 1, data + BIG,
			     1000, BYTES, (me + n - 1) % n, 1, W, ANY);
	}
}

/* Half of the time is that of messages: 1 MB at 1 GB/s. */
static void ring_of_transfers(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(1, 1);
		MPI_Sendrecv(data, MEGA, BYTES, (me + 1) % n, 1, into,
			     MEGA, BYTES, (me + n - 1) % n, 1, W, ANY);
	}
}

/* ---- imbalance ---- */

static void slow_rank(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me == 1 ? 12 : 10, 10 + 2. / n);
		add_all();
	}
	print_truth("SUM", "1", STEPS * 2e-3 * (n - 1));
}

static void slow_half(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me % 2 ? 12 : 10, 11);
		add_all();
	}
	print_truth("SUM", "odd", STEPS * 2e-3 * (n - n / 2));
}

/* In step i the rank of that number is slow, in turn. */
static void slow_by_step(void)
{
	int share[1024] = {0};

	add_all();
	for (int i = 0; i < STEPS; i++) {
		share[i % n] = 1;
		compute_for(me == i % n ? 12 : 10, 10 + 2. / n);
		add_all();
	}
	print_truth("SUM", ranks_text(share), STEPS * 2e-3 * (n - 1));
}

static void slow_by_phase(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me == i / (STEPS / 4) ? 12 : 10, 10 + 2. / n);
		enter_barrier();
	}
	print_truth("BARRIER", "0,1,2,3", STEPS * 2e-3 * (n - 1));
}

static void slow_at_random(void)
{
	int share[1024] = {0};
	unsigned x = 1;

	enter_barrier();
	for (int i = 0; i < STEPS; i++) {
		x = x * 1103515245 + 12345;
		share[(x >> 16) % (unsigned)n] = 1;
		compute_for(me == (int)((x >> 16) % (unsigned)n) ? 12 : 10,
			    10 + 2. / n);
		enter_barrier();
	}
	print_truth("BARRIER", ranks_text(share), STEPS * 2e-3 * (n - 1));
}

/* Each rank computes a little more than the one before. */
static void slope_of_work(void)
{
	double waits = 0;

	for (int i = 0; i < STEPS; i++) {
		compute_for(10 + 4. * me / (n - 1), 12);
		enter_barrier();
	}
	for (int r = 0; r < n; r++)
		waits += STEPS * (4 - 4. * r / (n - 1)) * 1e-3;
	print_truth("BARRIER", rank_text(n - 1), waits);
}

/* The first rank has more in one phase, the last one in the other. */
static void two_phases(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me == 0 ? 6 : 4, 4 + 2. / n);
		MPI_Barrier(W); /* FIRST */
		compute_for(me == n - 1 ? 6 : 4, 4 + 2. / n);
		MPI_Barrier(W); /* SECOND */
	}
	print_truth("SECOND", "0", STEPS * 2e-3 * (n - 1));
	print_truth("FIRST", rank_text(n - 1), STEPS * 2e-3 * (n - 1));
}

static void two_groups(void)
{
	MPI_Comm half;

	MPI_Comm_split(W, me % 2, me, &half);
	for (int i = 0; i < STEPS; i++) {
		compute_for(me < 2 ? 10 : 7, 7 + 6. / n);
		MPI_Barrier(half); /* GROUP */
	}
	MPI_Comm_free(&half);
	print_truth("GROUP", "0,1", STEPS * 3e-3 * (n - 2));
}

/* ---- messages ---- */

static void late_sender(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me == 0)
			MPI_Recv(data, 8, BYTES, 1, 1, W, ANY);
		if (me == 1) {
			compute_for(10, 10. / n);
			MPI_Send(data, 8, BYTES, 0, 1, W); /* SEND */
		}
	}
	print_truth("SEND", "1", STEPS * 10e-3);
}

static void late_receiver(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me == 0)
			MPI_Send(data, BIG, BYTES, 1, 1, W);
		if (me == 1) {
			compute_for(10, 10. / n);
			MPI_Recv(data, BIG, BYTES, 0, 1, W, ANY); /* RECV */
		}
	}
	print_truth("RECV", "1", STEPS * 10e-3);
}

/* One slow rank in a ring: its pace becomes that of all. */
static void slow_in_halo(void)
{
	exchange_halo(1000);
	for (int i = 0; i < 4 * n; i++) {
		compute_for(me == 1 ? 12 : 10, 10 + 2. / n);
		exchange_halo(1000);
	}
	MPI_Barrier(W);
	print_truth("EXCHANGE", "1", 4 * n * 2e-3 * (n - 1));
}

/* A delay of the first rank goes through all others. */
static void chain_of_delays(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me == 0 ? 10 : 2, 2 + 8. / n);
		if (me)
			MPI_Recv(data, 8, BYTES, me - 1, 1, W, ANY);
		if (me + 1 < n)
			MPI_Send(data, 8, BYTES, me + 1, 1, W);
		enter_barrier();
	}
	print_truth("BARRIER", "0", STEPS * 8e-3 * (n - 1));
}

static void hidden_in_waitall(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me == n - 1 ? 15 : 10, 10 + 5. / n);
		exchange_halo(1000);
		enter_barrier();
	}
	print_truth("BARRIER", rank_text(n - 1), STEPS * 5e-3 * (n - 1));
}

/* Each answer costs the master 2 ms, while the others wait. */
static void serial_master(void)
{
	for (int i = 0; i < STEPS / 4; i++) {
		if (me) {
			compute_for(1, 1);
			MPI_Send(data, 8, BYTES, 0, 1, W);
			MPI_Recv(data, 8, BYTES, 0, 2, W, ANY);
			continue;
		}
		for (int r = 1; r < n; r++) {
			MPI_Recv(data, 8, BYTES, r, 1, W, ANY); /* ASKED */
			compute_for(2, 2);
			MPI_Send(data, 8, BYTES, r, 2, W);
		}
	}
	print_truth("ASKED", "0", -1);
}

/* ---- collectives ---- */

static void late_root(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me == 2 ? 8 : 4, 4 + 4. / n);
		MPI_Bcast(data, 100, BYTES, 2, W); /* ROOT */
	}
	print_truth("ROOT", "2", STEPS * 4e-3 * (n - 1));
}

static void early_root(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me == 1 ? 24 : 4, 4 + 20. / n);
		MPI_Gather(data, 8, BYTES, data, 8, BYTES, 0, W); /* EARLY */
	}
	print_truth("EARLY", "1", STEPS * 20e-3);
}

/* ---- messages without a partner ---- */

static void lose_messages(void)
{
	MPI_Request unused;
	int done;

	if (me == 1)
		for (int i = 0; i < 3; i++)
			MPI_Send(data, 8, BYTES, 0, 5, W); /* LOST */
	if (me == 0)
		MPI_Irecv(data, 8, BYTES, 2, 9, W, &unused); /* NOTHING */
	if (me == 0)
		MPI_Test(&unused, &done, ANY);
	enter_barrier();
}

int main(int argc, char **argv)
{
	static const struct answers_case cases[] = {
	    {"balanced_sum", balanced_sum},
	    {"balanced_halo", balanced_halo},
	    {"balanced_ring", balanced_ring},
	    {"transfers", ring_of_transfers},
	    {"slow_rank", slow_rank},
	    {"slow_half", slow_half},
	    {"slow_by_step", slow_by_step},
	    {"slow_by_phase", slow_by_phase},
	    {"slow_at_random", slow_at_random},
	    {"slope", slope_of_work},
	    {"two_phases", two_phases},
	    {"two_groups", two_groups},
	    {"late_sender", late_sender},
	    {"late_receiver", late_receiver},
	    {"slow_in_halo", slow_in_halo},
	    {"chain", chain_of_delays},
	    {"hidden_in_waitall", hidden_in_waitall},
	    {"serial_master", serial_master},
	    {"late_root", late_root},
	    {"early_root", early_root},
	    {"lost", lose_messages},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof *cases);
}
