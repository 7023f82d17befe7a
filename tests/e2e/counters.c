/*
 * What counters are tried on: programs that know what is to be counted. Each
 * prints what it would print without Tape; what it counted itself goes to the
 * file named by TRUTH, as "WORD NUMBER" lines, each rank's to TRUTH.RANK.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tape.h"

#pragma weak tape_enter
#pragma weak tape_leave
#pragma weak tape_off
#pragma weak tape_on

static int rank;

static void enter(const char *name)
{
	if (tape_enter)
		tape_enter(name);
}

static void leave(void)
{
	if (tape_leave)
		tape_leave();
}

static void truth(const char *word, long n)
{
	const char *name = getenv("TRUTH");
	char path[4096];
	FILE *f;

	if (!name)
		return;
	snprintf(path, sizeof path, "%s.%d", name, rank);
	f = fopen(path, "a");
	fprintf(f, "%s %ld\n", word, n);
	fclose(f);
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Touches n fresh pages; returns how many faults the kernel saw. */
static long touch(long n)
{
	size_t bytes = (size_t)n * 4096;
	struct rusage before, after;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	madvise(p, bytes, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_THREAD, &before);
	for (long i = 0; i < n; i++)
		((volatile char *)p)[i * 4096] = 1;
	getrusage(RUSAGE_THREAD, &after);
	munmap(p, bytes);
	return after.ru_minflt - before.ru_minflt;
}

static long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void burn(long ns)
{
	long start = cpu_ns();

	while (cpu_ns() - start < ns)
		;
}

static void nap(long ns)
{
	struct timespec t = { 0, ns };

	while (nanosleep(&t, &t))
		;
}

/* ---- programs ---- */

static void faults(void)
{
	barrier();
	barrier();
	enter("touch");
	truth("faults", touch(1000));
	leave();
	barrier();
	enter("again");
	truth("again", touch(300));
	leave();
	barrier();
}

static void times(void)
{
	barrier();
	enter("burn");
	burn(100000000);
	leave();
	barrier();
	enter("nap");
	nap(100000000);
	leave();
	barrier();
	if (tape_off)
		tape_off();
	burn(50000000);
	barrier();
	if (tape_on)
		tape_on();
	barrier();
}

/* Rank 0 tests, over and over, for a message that comes late. */
static void polls(void)
{
	int x = 1, flag = 0;
	MPI_Request q;

	barrier();
	if (rank) {
		nap(50000000);
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
		while (!flag) {
			MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
			touch(3);
		}
	}
	barrier();
}

static void *one_thread(void *unused)
{
	(void)unused;
	MPI_Sendrecv(NULL, 0, MPI_INT, 0, 1, NULL, 0, MPI_INT, 0, 1,
		     MPI_COMM_SELF, MPI_STATUS_IGNORE);
	touch(700);
	MPI_Sendrecv(NULL, 0, MPI_INT, 0, 1, NULL, 0, MPI_INT, 0, 1,
		     MPI_COMM_SELF, MPI_STATUS_IGNORE);
	return NULL;
}

static void threads(void)
{
	pthread_t t[2];

	barrier();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, one_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	barrier();
}

/* The numbers in use below 512, and what they are. */
static void list(const char *whose)
{
	char path[64], text[256];

	for (int fd = 3; fd < 512; fd++) {
		ssize_t n;

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		n = readlink(path, text, sizeof text - 1);
		if (n < 0)
			continue;
		text[n] = '\0';
		if (strstr(text, "perf_event"))
			printf("%s has %d: %s\n", whose, fd, text);
	}
	fflush(stdout);
}

/* Everything open, in this process and in what it starts. */
static void descriptors(const char *self)
{
	int status, fd = open("/dev/null", O_RDONLY);

	if (!rank) {
		printf("the next number is still below 960: %d\n", fd < 960);
		list("the program");
		if (!fork()) {
			DIR *d = opendir("/proc/self/fd");
			int n = 0;

			for (struct dirent *e; (e = readdir(d));) {
				char text[256] = "";

				if (readlinkat(dirfd(d), e->d_name, text,
					       sizeof text - 1) > 0)
					n += strstr(text, "perf_event") != NULL;
			}
			printf("the child has %d counters\n", n);
			fflush(stdout);
			execl(self, self, "list", (char *)NULL);
			_exit(127);
		}
		wait(&status);
		printf("status %d\n", status);
	}
	close(fd);
	errno = 77;
	barrier();
	printf("errno %d\n", errno);
}

/* Closes what is not its own, and has files of its own there. */
static void closer(void)
{
	FILE *f[200];
	int good = 0;

	barrier();
	for (int fd = 100; fd < 1024; fd++) {
		char path[64], text[256] = "";

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		if (readlink(path, text, sizeof text - 1) > 0 &&
		    strstr(text, "perf_event"))
			close(fd);
	}
	for (int i = 0; i < 200; i++) {
		char name[64];

		snprintf(name, sizeof name, "own.%d.%d", rank, i);
		f[i] = fopen(name, "w+");
		fputs("mine to be read", f[i]);
		fflush(f[i]);
		dup2(fileno(f[i]), 800 + i);
		lseek(800 + i, 0, SEEK_SET);
		unlink(name);
	}
	touch(100);
	barrier();
	barrier();
	for (int i = 0; i < 200; i++) {
		char text[32] = "";

		good += read(800 + i, text, 15) == 15 &&
			!strcmp(text, "mine to be read");
	}
	if (!rank)
		printf("%d of 200 files as they were\n", good);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int level;

	if (!strcmp(what, "list")) {
		list("what it executed");
		return 0;
	}
	MPI_Init_thread(&argc, &argv,
			strcmp(what, "threads") ? MPI_THREAD_SINGLE
						: MPI_THREAD_MULTIPLE,
			&level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!strcmp(what, "faults"))
		faults();
	else if (!strcmp(what, "times"))
		times();
	else if (!strcmp(what, "polls"))
		polls();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "descriptors"))
		descriptors(argv[0]);
	else if (!strcmp(what, "closer"))
		closer();
	MPI_Finalize();
	return 0;
}
