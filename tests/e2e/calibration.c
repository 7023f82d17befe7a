/*
 * What a run uses, for the calibration at its end: two ranks.
 *
 *	calibration [poll|off|kill|none|full FLOW]
 *
 * Messages and marks; then, just before MPI_Finalize, failed probes (poll), the
 * tracing switched off (off), or the end of rank 1 (kill). none: no message.
 * full: rank 0 makes calls until the chunk is almost full that it writes to the
 * file FLOW.
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

/* How many bytes of the chunk under way are used: they end with zeros. */
static long used(const char *flow)
{
	static char bytes[1 << 20];
	FILE *f = fopen(flow, "r");
	long n = f ? (long)fread(bytes, 1, sizeof bytes, f) : 0;

	if (f)
		fclose(f);
	while (n > 0 && !bytes[n - 1])
		n--;
	return n % 65536;
}

static void fill(const char *flow)
{
	MPI_Request r[9];
	int x[9], y = 0, size;

	/* what is calibrated with the longest records */
	for (int i = 0; i < 9; i++)
		MPI_Irecv(&x[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
	for (int i = 0; i < 9; i++)
		MPI_Send(&y, 1, MPI_INT, 0, i, MPI_COMM_SELF);
	MPI_Waitall(9, r, MPI_STATUSES_IGNORE);
	for (int k = 0; k < 30000 && used(flow) < 65000; k++)
		for (int i = 0; i < 20; i++)
			MPI_Type_size(MPI_INT, &size);
	printf("%d\n", used(flow) >= 65000);
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
	if (!strcmp(how, "full") && !me)
		fill(argv[2]);
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
