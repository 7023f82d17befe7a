/*
 * For the programs conform*.c, which make every call of catalogue/mpi.tab in
 * its ordinary and its odd uses. Each prints a log that must be the same with
 * and without Tape, and writes how often each call was made to FILE.RANK: the
 * trace must hold as many, but for MPI_Pcontrol, which only switches tracing.
 *
 *	conform... FILE
 *
 * C(Name, arguments...) makes the call MPI_Name and counts it. Calls inside
 * call-backs are part of the call that runs them and are not counted. What is
 * not deterministic (which of several messages comes first, how many polls it
 * took) is left out of the log or put in order.
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define C(name, ...) (hit(#name), MPI_##name(__VA_ARGS__))
#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

enum { CALLS_MAX = 512, LOG_MAX = 1 << 20 };

static struct {
	char name[40];
	long n;
} counts[CALLS_MAX];
static char *text;
static size_t used;
static int me, size, right, left;

static void hit(const char *name)
{
	int i = 0;

	while (*counts[i].name && strcmp(counts[i].name, name))
		i++;
	snprintf(counts[i].name, sizeof counts[i].name, "%s", name);
	counts[i].n++;
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	used += (size_t)vsnprintf(text + used, LOG_MAX - used, format, ap);
	va_end(ap);
}

#ifdef OPEN_MPI
enum { IS_OPEN_MPI = 1 };
#else
enum { IS_OPEN_MPI = 0 };
#endif

/*
 * An error code as it can be compared: MPICH counts its messages in the upper
 * bits, those of the tracer's own calls too.
 */
static inline int shown(int code)
{
	return IS_OPEN_MPI ? code : code & 0x7f;
}

/* A return code and the class it belongs to. */
static void rc(const char *what, int code)
{
	int class_ = -1;

	C(Error_class, code, &class_);
	say("%s: rc %d class %d\n", what, shown(code), class_);
}

static void blank(MPI_Status *s, int n)
{
	for (int i = 0; i < n; i++) {
		memset(&s[i], 0, sizeof s[i]);
		s[i].MPI_SOURCE = 91;
		s[i].MPI_TAG = 92;
		s[i].MPI_ERROR = 93;
	}
}

static void status(const char *what, const MPI_Status *s)
{
	int count = -1, elements = -1, cancelled = -1;

	C(Get_count, s, MPI_INT, &count);
	C(Get_elements, s, MPI_BYTE, &elements);
	C(Test_cancelled, s, &cancelled);
	/* the rest of it is not defined (MPI 4.0, 3.8.4); with MPICH it is
	 * what the request had before */
	if (cancelled == 1) {
		say("%s: error %d cancelled\n", what, shown(s->MPI_ERROR));
		return;
	}
	say("%s: source %d tag %d error %d count %d bytes %d cancelled %d\n",
	    what, s->MPI_SOURCE, s->MPI_TAG, shown(s->MPI_ERROR), count,
	    elements, cancelled);
}

static void ints(const char *what, const int *v, int n)
{
	say("%s:", what);
	for (int i = 0; i < n; i++)
		say(" %d", v[i]);
	say("\n");
}

static void print_log(void)
{
	unsigned long n = used;

	if (me) {
		PMPI_Send(&n, 1, MPI_UNSIGNED_LONG, 0, 1, W);
		PMPI_Send(text, (int)n, MPI_CHAR, 0, 2, W);
		return;
	}
	for (int r = 0; r < size; r++) {
		if (r) {
			PMPI_Recv(&n, 1, MPI_UNSIGNED_LONG, r, 1, W, IGNORE);
			PMPI_Recv(text, (int)n, MPI_CHAR, r, 2, W, IGNORE);
		}
		printf("== rank %d\n%.*s", r, (int)n, text);
	}
}

/* The log in order of ranks, and the counts into FILE.RANK. */
static int finish(const char *file)
{
	char path[4096];
	FILE *f;

	print_log();
	C(Finalize);
	snprintf(path, sizeof path, "%s.%d", file, me);
	f = fopen(path, "w");
	for (int i = 0; f && *counts[i].name; i++)
		fprintf(f, "MPI_%s %ld\n", counts[i].name, counts[i].n);
	return !f || fclose(f);
}

static void start(int *argc, char ***argv)
{
	text = malloc(LOG_MAX);
	C(Init, argc, argv);
	C(Comm_rank, W, &me);
	C(Comm_size, W, &size);
	right = (me + 1) % size;
	left = (me + size - 1) % size;
}

#endif
