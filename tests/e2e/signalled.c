/*
 * signalled FILE SECONDS [count]: sends messages to itself for so long. FILE
 * says how far it came: "begun", "traced" behind MPI_Init, "finished"; with
 * "count" it counts SIGINT, SIGTERM, SIGHUP and SIGQUIT, and says how many it
 * got.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t got;

static void count(int signal)
{
	(void)signal;
	got++;
}

int main(int argc, char **argv)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction a = { .sa_handler = count, .sa_flags = SA_RESTART };
	double end, seconds = atof(argv[2]);
	int out = 1, in, counts = argc > 3;
	FILE *f = fopen(argv[1], "w");
	sigset_t all;

	sigemptyset(&all);
	for (int i = 0; i < 4; i++) {
		sigaddset(&all, numbers[i]);
		if (counts)
			sigaction(numbers[i], &a, NULL);
	}
	fputs("begun\n", f);
	fflush(f);
	MPI_Init(&argc, &argv);
	fputs("traced\n", f);
	fflush(f);
	end = MPI_Wtime() + seconds;
	while (MPI_Wtime() < end)
		MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0,
			     MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Finalize();
	/* what comes now does not change how it ends */
	sigprocmask(SIG_BLOCK, &all, NULL);
	fprintf(f, "got %d\nfinished\n", (int)got);
	fclose(f);
	return counts ? 5 : 0;
}
