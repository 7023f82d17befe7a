/* One late rank in calls of each kind; see answers.h. */
#include "answers.h"

/* The rank of that number computes 14 ms, the others 10. */
static void compute_as_slow(int slow)
{
	compute_for(me == slow ? 14 : 10, 10 + 4. / n);
}

/* The waiting of all ranks if one is 4 ms late in each step, seconds. */
static double late_for_all(void)
{
	return STEPS * 4e-3 * (n - 1);
}

/* ---- collectives ---- */

static void call_alltoall(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_as_slow(2);
		MPI_Alltoall(data, 8, BYTES, into, 8, BYTES, W); /* ALL */
	}
	print_truth("ALL", "2", late_for_all());
}

static void call_allgather(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_as_slow(n - 1);
		MPI_Allgather(data, 8, BYTES, into, 8, BYTES, W); /* GATHER */
	}
	print_truth("GATHER", rank_text(n - 1), late_for_all());
}

static void call_scatter(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_as_slow(0);
		MPI_Scatter(data, 8, BYTES, into, 8, BYTES, 0, W); /* PARTS */
	}
	print_truth("PARTS", "0", late_for_all());
}

/* Ranks behind the late one wait. */
static void call_scan(void)
{
	for (int i = 0; i < STEPS; i++) {
		compute_as_slow(1);
		MPI_Scan(data, into, 8, BYTES, MPI_BAND, W);
		MPI_Barrier(W); /* BEHIND */
	}
	print_truth("BEHIND", "1", late_for_all());
}

static void wait_for_ibarrier(void)
{
	MPI_Request r;

	for (int i = 0; i < STEPS; i++) {
		compute_as_slow(1);
		MPI_Ibarrier(W, &r);
		MPI_Wait(&r, ANY); /* IBARRIER */
	}
	print_truth("IBARRIER", "1", late_for_all());
}

static void split_in_loop(void)
{
	MPI_Comm c;

	for (int i = 0; i < STEPS; i++) {
		compute_as_slow(3);
		MPI_Comm_split(W, 0, me, &c);
		MPI_Comm_free(&c); /* FREE */
	}
	print_truth("FREE", "3", late_for_all());
}

/* ---- messages ---- */

/* Only messages that are not eager wait for their receiver. */
static void cross_eager_limit(void)
{
	for (int i = 0; i < STEPS; i++) {
		int bytes = i < STEPS / 2 ? 1000 : BIG;

		if (me == 0)
			MPI_Send(data, bytes, BYTES, 1, 1, W);
		if (me == 1) {
			compute_for(10, 10. / n);
			MPI_Recv(data, bytes, BYTES, 0, 1, W, ANY);
		}
		MPI_Barrier(W); /* CROSS */
	}
	print_truth("CROSS", "1", STEPS * 10e-3 * (n - 1));
}

/* Of two ranks each is late in turn. */
static void alternate_pair(void)
{
	for (int i = 0; i < STEPS && me < 2; i++) {
		if (i && me == i % 2)
			compute_for(10, 5);
		MPI_Sendrecv(data, 8, BYTES, !me, 1, into, 8, /* PAIR */
			     BYTES, !me, 1, W, ANY);
	}
	print_truth("PAIR", "0,1", (STEPS - 1) * 10e-3);
}

/* The message of rank 1 is there long before, but rank 2 is asked first. */
static void receive_in_wrong_order(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me == 2)
			compute_for(10, 10);
		if (me == 1 || me == 2)
			MPI_Send(data, 8, BYTES, 0, 1, W); /* ORDER */
		if (me == 0) {
			MPI_Recv(data, 8, BYTES, 2, 1, W, ANY);
			MPI_Recv(data, 8, BYTES, 1, 1, W, ANY);
		}
	}
	print_truth("ORDER", "2", STEPS * 10e-3);
}

/* Of a pipeline one stage takes 8 ms, the others 2. */
static void slow_one_stage(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me)
			MPI_Recv(data, 8, BYTES, me - 1, 1, W, ANY); /* STAGE */
		compute_for(me == 1 ? 8 : 2, 2 + 6. / n);
		if (me + 1 < n)
			MPI_Send(data, 8, BYTES, me + 1, 1, W);
	}
	print_truth("STAGE", "1", -1);
}

static void wait_for_persistent(void)
{
	MPI_Request r = MPI_REQUEST_NULL;

	if (me == 0)
		MPI_Recv_init(data, 8, BYTES, 1, 1, W, &r);
	if (me == 1)
		MPI_Send_init(data, 8, BYTES, 0, 1, W, &r);
	for (int i = 0; i < STEPS && me < 2; i++) {
		if (me == 1)
			compute_for(10, 10. / n);
		MPI_Start(&r);
		MPI_Wait(&r, ANY); /* PERSISTENT */
	}
	if (me < 2)
		MPI_Request_free(&r);
	print_truth("PERSISTENT", "1", STEPS * 10e-3);
}

static void receive_from_any(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (me == 0)
			MPI_Recv(data, 8, BYTES, MPI_ANY_SOURCE, MPI_ANY_TAG,
				 W, ANY);
		if (me == 3) {
			compute_for(10, 10. / n);
			MPI_Send(data, 8, BYTES, 0, i, W); /* ANY */
		}
	}
	print_truth("ANY", "3", STEPS * 10e-3);
}

/* The last of several requests decides. */
static void call_waitany(void)
{
	MPI_Request r[2];
	int which;

	for (int i = 0; i < STEPS; i++) {
		if (me == 0) {
			MPI_Irecv(data, 8, BYTES, 1, 1, W, &r[0]);
			MPI_Irecv(data + 8, 8, BYTES, 2, 1, W, &r[1]);
			MPI_Waitany(2, r, &which, ANY);
			MPI_Waitany(2, r, &which, ANY);
		}
		if (me == 2)
			compute_for(10, 10. / n);
		if (me == 1 || me == 2)
			MPI_Send(data, 8, BYTES, 0, 1, W); /* WAITANY */
	}
	print_truth("WAITANY", "2", STEPS * 10e-3);
}

/* Two masters, each with the ranks of its parity. */
static void serve_by_two_masters(void)
{
	for (int i = 0; i < STEPS / 4; i++) {
		if (me > 1) {
			MPI_Send(data, 8, BYTES, me % 2, 1, W);
			MPI_Recv(data, 8, BYTES, me % 2, 2, W, ANY);
			continue;
		}
		for (int r = 2 + me; r < n; r += 2) {
			MPI_Recv(data, 8, BYTES, r, 1, W, ANY); /* MASTERS */
			compute_for(2, 2);
			MPI_Send(data, 8, BYTES, r, 2, W);
		}
	}
	print_truth("MASTERS", "0,1", -1);
}

/* All have had their part, but for one, which has got more. */
static void compute_large_part(void)
{
	MPI_Barrier(W); /* PART */
	compute_for(me == n / 2 ? 400 : 100, 100 + 300. / n);
	MPI_Barrier(W);
	print_truth("PART", rank_text(n / 2), 0.3 * (n - 1));
}

/* ---- one-sided ---- */

static void call_fence(void)
{
	MPI_Win win;

	MPI_Win_create(data, 8, 1, MPI_INFO_NULL, W, &win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < STEPS; i++) {
		compute_as_slow(1);
		MPI_Win_fence(0, win); /* FENCE */
	}
	MPI_Win_free(&win);
	print_truth("FENCE", "1", late_for_all());
}

int main(int argc, char **argv)
{
	static const struct answers_case cases[] = {
	    {"all_to_all", call_alltoall},
	    {"all_gather", call_allgather},
	    {"scatter", call_scatter},
	    {"scan", call_scan},
	    {"nonblocking_collective", wait_for_ibarrier},
	    {"communicator_in_loop", split_in_loop},
	    {"sizes_cross_eager_limit", cross_eager_limit},
	    {"pair_alternates", alternate_pair},
	    {"wrong_order", receive_in_wrong_order},
	    {"slow_stage", slow_one_stage},
	    {"persistent", wait_for_persistent},
	    {"from_any", receive_from_any},
	    {"waitany", call_waitany},
	    {"two_masters", serve_by_two_masters},
	    {"one_large_part", compute_large_part},
	    {"fence", call_fence},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof *cases);
}
