/*
 * Arrival against truth: rank 0 sends at known dates, rank 1 receives around
 * them, and both log when, on one clock (CLOCK_MONOTONIC).
 *
 *	arrival KIND BYTES COUNT LOG
 *
 * KIND is recv, sendrecv, wait or probe. Message i (its tag) is planned to be
 * sent -10 to +20 us before its receive. Each rank writes LOG.R: a line for
 * each message, "i begin end preempted", the times in ns, of the send or of the
 * receive; preempted counts how often the kernel took the processor away from
 * the receiver between these times.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SOON_NS = 40000, STEPS = 31, LATEST_NS = 10000 };

static int rank, bytes, count;
static char *in, *out;
static long long *begun, *ended, *preempted;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static long long count_preemptions(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nivcsw;
}

static void until(long long when)
{
	while (now() < when)
		;
}

/* How much before its receive message i is to be sent, ns. */
static long long lead(int i)
{
	return (i * 8 % STEPS) * 1000ll - LATEST_NS;
}

static void send_one(const char *kind, int i)
{
	char back;

	if (strcmp(kind, "sendrecv")) {
		MPI_Send(out, bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD);
		ended[i] = now();
		return;
	}
	/* what comes back is not looked at */
	MPI_Send(out, bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD);
	ended[i] = now();
	MPI_Recv(&back, 1, MPI_BYTE, 1, count + i, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

static void receive_one(const char *kind, int i, MPI_Request *posted)
{
	MPI_Status s;
	char back = 0;

	preempted[i] = count_preemptions();
	begun[i] = now();
	if (!strcmp(kind, "recv")) {
		MPI_Recv(in, bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &s);
	} else if (!strcmp(kind, "sendrecv")) {
		MPI_Sendrecv(&back, 1, MPI_BYTE, 0, count + i, in, bytes,
			     MPI_BYTE, 0, i, MPI_COMM_WORLD, &s);
	} else if (!strcmp(kind, "wait")) {
		MPI_Wait(posted, &s);
	} else {
		MPI_Probe(0, i, MPI_COMM_WORLD, &s);
		ended[i] = now();
		preempted[i] = count_preemptions() - preempted[i];
		MPI_Recv(in, bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &s);
		return;
	}
	ended[i] = now();
	preempted[i] = count_preemptions() - preempted[i];
}

int main(int argc, char **argv)
{
	const char *kind = argc > 4 ? argv[1] : "recv";
	MPI_Request posted = MPI_REQUEST_NULL;
	char name[4096];
	FILE *log;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	bytes = atoi(argv[2]);
	count = atoi(argv[3]);
	in = calloc(1, (size_t)bytes + 1);
	out = calloc(1, (size_t)bytes + 1);
	begun = calloc((size_t)count, sizeof *begun);
	ended = calloc((size_t)count, sizeof *ended);
	preempted = calloc((size_t)count, sizeof *preempted);
	for (int i = 0; i < count; i++) {
		long long at = now() + SOON_NS;

		/* each by itself: who was held up delays no other */
		if (rank) {
			if (!strcmp(kind, "wait"))
				MPI_Irecv(in, bytes, MPI_BYTE, 0, i,
					  MPI_COMM_WORLD, &posted);
			MPI_Send(&at, 1, MPI_LONG_LONG, 0, 2 * count + i,
				 MPI_COMM_WORLD);
			until(at);
			receive_one(kind, i, &posted);
		} else {
			MPI_Recv(&at, 1, MPI_LONG_LONG, 1, 2 * count + i,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			until(at - lead(i));
			begun[i] = now();
			send_one(kind, i);
		}
	}
	snprintf(name, sizeof name, "%s.%d", argv[4], rank);
	log = fopen(name, "w");
	for (int i = 0; log && i < count; i++)
		fprintf(log, "%d %lld %lld %lld\n", i, begun[i], ended[i],
			preempted[i]);
	if (log)
		fclose(log);
	MPI_Finalize();
	return 0;
}
