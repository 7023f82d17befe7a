/*
 * What a run uses, for the calibration at its end: two ranks.
 *
 *	calibration [poll|off|kill|none]
 *
 * Messages and marks; then, just before MPI_Finalize, failed probes (poll), the
 * tracing switched off (off), or the end of rank 1 (kill). none: no message.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tape.h"

#pragma weak tape_enter
#pragma weak tape_leave
#pragma weak tape_off

static void messages(int me)
{
	double x = me, y = 0;

	for (int i = 0; i < 100; i++) {
		if (tape_enter)
			tape_enter("work");
		if (me)
			MPI_Recv(&y, 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		else
			MPI_Send(&x, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
		if (tape_leave)
			tape_leave();
	}
	if (me)
		printf("%g\n", y);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int me, flag = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	if (strcmp(how, "none"))
		messages(me);
	for (int i = 0; !strcmp(how, "poll") && i < 5; i++)
		MPI_Iprobe(MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &flag,
			   MPI_STATUS_IGNORE);
	if (!strcmp(how, "off") && tape_off)
		tape_off();
	if (!strcmp(how, "kill") && me)
		raise(SIGKILL);
	if (tape_enter && strcmp(how, "none"))
		tape_enter("the end");
	MPI_Finalize();
	if (tape_leave)
		tape_leave();
	return flag;
}
