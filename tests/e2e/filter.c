/*
 * A program for the tests of filters and of max_rate: what it calls where is
 * written here, and filter.sh knows it.
 *
 *	filter regions       calls inside and outside of regions
 *	filter off           tracing is switched inside of and across a region
 *	filter hot N [WAY]   N times a call, every thousandth time another;
 *	                     COUNTS names a file of what was made. WAY: kill,
 *	                     it ends by SIGKILL; region, a region is entered
 *	filter threads N     the same in two threads at once
 *	filter poll N        N probes that find nothing
 *	filter one N         N messages by MPI_Isend, received by MPI_Recv
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tape.h"

#pragma weak tape_on
#pragma weak tape_off
#pragma weak tape_enter
#pragma weak tape_leave

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
#define TAPE(call) (tape_on ? (void)(call) : (void)0)

/* In another file, of the program or a library: four barriers. */
void elsewhere(void);

static int me, size;

static void barriers(int n)
{
	while (n--)
		MPI_Barrier(W);
}

static void sums(int n)
{
	int a = 1, b;

	while (n--)
		MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, W);
}

static void exchange(int n)
{
	int a = me, b;

	while (n--)
		MPI_Sendrecv(&a, 1, MPI_INT, (me + 1) % size, 1, &b, 1, MPI_INT,
			     (me + size - 1) % size, 1, W, IGNORE);
}

static void regions(void)
{
	int bytes;

	TAPE(tape_enter("setup"));
	barriers(3);
	MPI_Type_size(MPI_INT, &bytes);
	TAPE(tape_leave());
	barriers(7);
	TAPE(tape_enter("solve"));
	barriers(11);
	TAPE(tape_enter("io_write"));
	sums(13);
	TAPE(tape_leave());
	TAPE(tape_enter("exchange"));
	exchange(17);
	TAPE(tape_leave());
	TAPE(tape_leave());
	TAPE(tape_enter("two words"));
	elsewhere();
	TAPE(tape_leave());
}

/* Of the sums and barriers, those below line by line, on is what it says. */
static void switched(void)
{
	TAPE(tape_enter("setup"));
	barriers(1); /* setup */
	TAPE(tape_off());
	TAPE(tape_leave());
	barriers(2); /* off */
	TAPE(tape_on());
	barriers(4); /* on */
	TAPE(tape_off());
	TAPE(tape_enter("setup"));
	TAPE(tape_on());
	barriers(8); /* setup */
	TAPE(tape_leave());
	barriers(16); /* on */
}

/* ---- often ---- */

struct made {
	uint64_t hot, rare, entered;
};

static struct made *open_counts(const char *name)
{
	char path[200];
	int fd;
	void *p;

	snprintf(path, sizeof path, "%s.%d", name, me);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || ftruncate(fd, sizeof(struct made)))
		return NULL;
	p = mmap(NULL, sizeof(struct made), PROT_READ | PROT_WRITE, MAP_SHARED,
		 fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* To itself, so that ranks need not be in step when one of them is killed. */
static void hot(struct made *m, MPI_Comm c, long n, int region)
{
	int a, b = 0;

	for (long i = 0; i < n; i++) {
		a = (int)i ^ b;
		if (region) {
			TAPE(tape_enter("step"));
			TAPE(tape_leave());
			m->entered++;
		} else {
			MPI_Sendrecv(&a, 1, MPI_INT, 0, 1, &b, 1, MPI_INT, 0, 1,
				     c, IGNORE);
			m->hot++;
		}
		if (i % 1000)
			continue;
		MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, c);
		m->rare++;
	}
	if (!me)
		printf("%d\n", b);
}

static void *thread(void *comm)
{
	struct made m = { 0 };

	hot(&m, *(MPI_Comm *)comm, *((long **)comm)[1], 0);
	return NULL;
}

static void threads(long n)
{
	struct {
		MPI_Comm comm;
		long *n;
	} of[2];
	pthread_t id[2];

	for (int i = 0; i < 2; i++) {
		MPI_Comm_dup(MPI_COMM_SELF, &of[i].comm);
		of[i].n = &n;
		pthread_create(&id[i], NULL, thread, &of[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
}

static void poll(long n)
{
	int flag;

	for (long i = 0; i < n; i++)
		MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag, IGNORE);
}

static void one(long n)
{
	MPI_Request q;
	int a = me, b;

	for (long i = 0; i < n; i++) {
		MPI_Isend(&a, 1, MPI_INT, (me + 1) % size, 2, W, &q);
		MPI_Recv(&b, 1, MPI_INT, (me + size - 1) % size, 2, W, IGNORE);
		MPI_Wait(&q, IGNORE);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "regions";
	const char *way = argc > 3 ? argv[3] : "";
	const char *counts = getenv("COUNTS");
	long n = argc > 2 ? atol(argv[2]) : 1;
	struct made none = { 0 }, *m = &none;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	if (counts && !(m = open_counts(counts)))
		MPI_Abort(W, 1);
	if (!strcmp(mode, "regions"))
		regions();
	else if (!strcmp(mode, "off"))
		switched();
	else if (!strcmp(mode, "hot"))
		hot(m, MPI_COMM_SELF, n, !strcmp(way, "region"));
	else if (!strcmp(mode, "threads"))
		threads(n);
	else if (!strcmp(mode, "poll"))
		poll(n);
	else
		one(n);
	if (!strcmp(way, "kill"))
		raise(SIGKILL);
	if (!me)
		printf("%s on %d\n", mode, size);
	MPI_Finalize();
	return 0;
}
