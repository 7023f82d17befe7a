/*
 * Delays of known sizes, and what others wait for them, by the simulator's
 * clock. In each step all leave a barrier and compute as long as each other,
 * but for one rank that takes longer: it comes late to a second barrier, or,
 * with "every", in two ranks, to a message. Prints, in ns,
 *
 *	wait RANK NS     what the others waited for that rank
 *	cause RANK NS    what its computing is to blame for: of each wait no
 *	                 more than it was longer
 */
#include <math.h>

#include "work.h"

enum { STEPS = 64 };

static double came_s[STEPS], wait_s[STEPS], cause_s[STEPS];

static void compute(double ns)
{
	smpi_execute_benched(ns * 1e-9);
}

/* To barrier, or to its message; the receiver knows when that was sent. */
static void meet(struct work *w, int step, int late)
{
	double sent_s = 0;

	came_s[step] = PMPI_Wtime();
	if (!w->every) {
		MPI_Barrier(MPI_COMM_WORLD);
	} else if (w->rank == late) {
		MPI_Send(&came_s[step], 1, MPI_DOUBLE, 1 - late, 1,
			 MPI_COMM_WORLD);
	} else {
		MPI_Recv(&sent_s, 1, MPI_DOUBLE, late, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		wait_s[step] = sent_s - came_s[step];
	}
	PMPI_Barrier(MPI_COMM_WORLD);
}

/* Of each step, over all ranks: what they waited, and what of that by delay. */
static void find_waits(const struct work *w, const double *delay_ns)
{
	double last_s, wait, cause;

	for (int i = 0; i < w->steps; i++) {
		PMPI_Allreduce(&came_s[i], &last_s, 1, MPI_DOUBLE, MPI_MAX,
			       MPI_COMM_WORLD);
		wait = w->every ? wait_s[i] : last_s - came_s[i];
		cause = fmin(wait, delay_ns[i] * 1e-9);
		PMPI_Allreduce(&wait, &wait_s[i], 1, MPI_DOUBLE, MPI_SUM,
			       MPI_COMM_WORLD);
		PMPI_Allreduce(&cause, &cause_s[i], 1, MPI_DOUBLE, MPI_SUM,
			       MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	double delay_ns[STEPS], waited, caused;
	struct work w, all;

	work_begin(&w, argc, argv);
	w.steps = w.steps < STEPS ? w.steps : STEPS;
	all = w;
	all.state -= (uint64_t)w.rank; /* all draw the same numbers */
	for (int i = 0; i < w.steps; i++) {
		delay_ns[i] = floor(w.grain_ns * (0.5 + work_random(&all)));
		MPI_Barrier(MPI_COMM_WORLD);
		compute(w.grain_ns);
		if (i % w.size == w.rank)
			compute(delay_ns[i]);
		meet(&w, i, i % w.size);
	}
	find_waits(&w, delay_ns);
	for (int r = 0; r < w.size && !w.rank; r++) {
		waited = caused = 0;
		for (int i = r; i < w.steps; i += w.size) {
			waited += wait_s[i] * 1e9;
			caused += cause_s[i] * 1e9;
		}
		printf("wait %d %.0f\ncause %d %.0f\n", r, waited, r, caused);
	}
	MPI_Finalize();
	return 0;
}
