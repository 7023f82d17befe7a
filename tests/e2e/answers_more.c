/*
 * Shared links, polling, slow hosts, calls that grow, and
 * balanced programs; see answers.h.
 */
#include "answers.h"

static double sum, one = 1;

static void add_all(void)
{
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, W); /* TOTAL */
}

/* ---- the network ---- */

/* All send a MEGA to rank 0 at once: its link has 1 GB/s. */
static void send_to_one(void)
{
	MPI_Request r[1024];
	char *parts = SMPI_SHARED_MALLOC(64 * (size_t)MEGA);

	for (int i = 0; i < STEPS; i++) {
		compute_for(n - 1, n - 1);
		for (int from = 1; !me && from < n; from++)
			MPI_Irecv(parts + (size_t)from * MEGA, MEGA, BYTES,
				  from, 1, W, &r[from - 1]);
		if (me)
			MPI_Send(data, MEGA, BYTES, 0, 1, W);
		else
			MPI_Waitall(n - 1, r, MPI_STATUSES_IGNORE);
		MPI_Barrier(W);
	}
	SMPI_SHARED_FREE(parts);
}

/*
 * Each step exchanges more. Rank 0 reads the simulated clock itself: the means
 * of the calls that began in the first and the last quarter of the time.
 */
static void grow_alltoall(void)
{
	double begun[STEPS], took[STEPS], sums[4] = {0}, calls[4] = {0};

	for (int i = 0; i < STEPS; i++) {
		int bytes = (i + 1) * (MEGA / STEPS / n);

		compute_for(0.5, 0.5);
		MPI_Barrier(W);
		begun[i] = MPI_Wtime();
		MPI_Alltoall(data, bytes, BYTES, into, bytes, /* GROWS */
			     BYTES, W);
		took[i] = MPI_Wtime() - begun[i];
	}
	for (int i = 0; i < STEPS; i++) {
		double at =
		    (begun[i] - begun[0]) / (begun[STEPS - 1] - begun[0]);
		int q = at < 1 ? (int)(4 * at) : 3;

		sums[q] += took[i];
		calls[q]++;
	}
	if (!me)
		printf("grows GROWS %.9f %.9f\n", sums[0] / calls[0],
		       sums[3] / calls[3]);
}

/* ---- imbalance ---- */

/* Rank 1 has more in each of few steps, in the first of them, too. */
static void slow_from_start(void)
{
	for (int i = 0; i < 8; i++) {
		compute_for(me == 1 ? 15 : 10, 10 + 5. / n);
		add_all();
	}
	print_truth("TOTAL", "1", 8 * 5e-3 * (n - 1));
}

/* Rank 1 prepares something before the loop, and is like the others in it. */
static void slow_before_loop(void)
{
	MPI_Comm_size(W, &n); /* BEFORE */
	compute_for(me == 1 ? 100 : 0, 100. / n);
	for (int i = 0; i < 8; i++) {
		compute_for(me == 2 ? 12 : 10, 10 + 2. / n);
		add_all();
	}
	print_truth("BEFORE", "1", 100e-3 * (n - 1) - 2e-3);
	print_truth("TOTAL", "2", 7 * 2e-3 * (n - 1));
}

/* In one half of a step even ranks have more, in the other odd ones. */
static void compute_halves(int with_barrier)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(me % 2 ? 6 : 14, 10);
		if (with_barrier)
			MPI_Barrier(W); /* UNNEEDED */
		compute_for(me % 2 ? 14 : 6, 10);
		add_all();
	}
}

static void unneeded_barrier(void)
{
	compute_halves(1);
	print_truth("TOTAL", "even", STEPS * 8e-3 * n / 2);
	print_truth("UNNEEDED", "odd", STEPS * 8e-3 * n / 2);
}

static void without_barrier(void)
{
	compute_halves(0);
}

/* Two ranks are on a host of half the speed. */
static void slow_host(void)
{
	add_all();
	for (int i = 0; i < STEPS; i++) {
		compute_for(5, 5);
		add_all();
	}
	print_truth("TOTAL", "in:2,3", STEPS * 5e-3 * (n - 2));
}

/* ---- messages ---- */

static void pass_round(void)
{
	int to = (me + 1) % n, from = (me + n - 1) % n;

	MPI_Sendrecv(data, 8, BYTES, to, 1, into, 8, BYTES, /* ROUND */
		     from, 1, W, ANY);
}

/* Each sends before it waits for the one before it, which waits likewise. */
static void slow_in_ring(void)
{
	pass_round();
	for (int i = 0; i < 4 * n; i++) {
		compute_for(me == 1 ? 12 : 10, 10 + 2. / n);
		pass_round();
	}
	MPI_Barrier(W);
	print_truth("ROUND", "1", 4 * n * 2e-3 * (n - 1));
}

/* Rank 0 asks in a loop whether the message has come. */
static void test_in_loop(void)
{
	MPI_Request r;
	int done;

	for (int i = 0; i < STEPS; i++) {
		if (me == 1) {
			compute_for(10, 10. / n);
			MPI_Send(data, 8, BYTES, 0, 1, W); /* POLLED */
		}
		if (me)
			continue;
		MPI_Irecv(data, 8, BYTES, 1, 1, W, &r);
		do
			MPI_Test(&r, &done, ANY);
		while (!done);
	}
	print_truth("POLLED", "1", STEPS * 10e-3);
}

static void iprobe_in_loop(void)
{
	int found;

	for (int i = 0; i < STEPS; i++) {
		if (me == 1) {
			compute_for(10, 10. / n);
			MPI_Send(data, 8, BYTES, 0, 1, W); /* IPROBED */
		}
		if (me)
			continue;
		do
			MPI_Iprobe(1, 1, W, &found, ANY);
		while (!found);
		MPI_Recv(data, 8, BYTES, 1, 1, W, ANY);
	}
	print_truth("IPROBED", "1", STEPS * 10e-3);
}

static void probe_first(void)
{
	MPI_Status s;

	for (int i = 0; i < STEPS; i++) {
		if (me == 1) {
			compute_for(10, 10. / n);
			MPI_Send(data, 8, BYTES, 0, 1, W); /* PROBED */
		}
		if (me)
			continue;
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s);
		MPI_Recv(data, 8, BYTES, s.MPI_SOURCE, s.MPI_TAG, W, ANY);
	}
	print_truth("PROBED", "1", STEPS * 10e-3);
}

static void send_synchronously(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me == 0)
			MPI_Ssend(data, 8, BYTES, 1, 1, W);
		if (me == 1) {
			compute_for(10, 10. / n);
			MPI_Recv(data, 8, BYTES, 0, 1, W, ANY); /* TAKEN */
		}
	}
	print_truth("TAKEN", "1", STEPS * 10e-3);
}

/* ---- nothing to gain ---- */

static void balanced_alltoall(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(10, 10);
		MPI_Alltoall(data, 8, BYTES, into, 8, BYTES, W);
	}
}

static void balanced_bcast(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_for(10, 10);
		MPI_Bcast(data, 100, BYTES, i % n, W);
		MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, i % n, W);
	}
}

/* Half of the ranks exchange with the other half. */
static void balanced_pairs(void)
{
	int peer = me ^ 1;

	for (int i = 0; i < STEPS; i++) {
		compute_for(10, 10);
		if (peer < n)
			MPI_Sendrecv(data, 1000, BYTES, peer, 1, into, 1000,
				     BYTES, peer, 1, W, ANY);
	}
}

/* A large exchange that goes on while all compute. */
static void balanced_overlap(void)
{
	MPI_Request r[2];

	for (int i = 0; i < STEPS; i++) {
		MPI_Irecv(into, BIG, BYTES, (me + 1) % n, 1, W, &r[0]);
		MPI_Isend(data, BIG, BYTES, (me + n - 1) % n, 1, W, &r[1]);
		compute_for(10, 10);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
}

static void balanced_fence(void)
{
	MPI_Win win;

	MPI_Win_create(data, MEGA, 1, MPI_INFO_NULL, W, &win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < STEPS; i++) {
		compute_for(10, 10);
		MPI_Put(into, 100, BYTES, (me + 1) % n, 0, 100, BYTES, win);
		MPI_Win_fence(0, win);
	}
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	static const struct answers_case cases[] = {
	    {"to_one", send_to_one},
	    {"grows", grow_alltoall},
	    {"slow_from_start", slow_from_start},
	    {"slow_before_loop", slow_before_loop},
	    {"unneeded_barrier", unneeded_barrier},
	    {"without_barrier", without_barrier},
	    {"slow_host", slow_host},
	    {"slow_in_ring", slow_in_ring},
	    {"test_in_loop", test_in_loop},
	    {"iprobe_in_loop", iprobe_in_loop},
	    {"probe", probe_first},
	    {"synchronous_send", send_synchronously},
	    {"balanced_alltoall", balanced_alltoall},
	    {"balanced_bcast", balanced_bcast},
	    {"balanced_pairs", balanced_pairs},
	    {"balanced_overlap", balanced_overlap},
	    {"balanced_fence", balanced_fence},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof *cases);
}
