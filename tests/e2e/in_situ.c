/*
 * Busy marks and local calls, of which this program counts every one itself:
 * in_situ MODE N COUNTS. COUNTS.RANK gets "NAME CALLS" lines.
 *
 *	loop      a region in a loop, a barrier now and then, then local calls
 *	nested    three regions inside of one another, and local calls in them
 *	names     names that the program makes: they are not constant
 *	threads   two threads, each with a region of its own
 *	off       tracing is switched off and on between the marks
 *	killed    as nested, and by itself killed at once
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tape.h>

static long calls[4]; /* outer, middle, inner, size */
static volatile double out;

static void work(void)
{
	double x = out;

	for (int i = 0; i < 8; i++)
		x = x * 0.999 + 1;
	out = x;
}

static void type_size(void)
{
	int size;

	MPI_Type_size(MPI_DOUBLE, &size);
	calls[3]++;
}

static void loop(long n)
{
	for (long i = 0; i < n; i++) {
		tape_enter("inner");
		work();
		tape_leave();
		calls[2]++;
		if (i % 5000 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	for (long i = 0; i < n; i++)
		type_size();
}

static void nested(long n)
{
	for (long i = 0; i < n; i++) {
		tape_enter("outer");
		calls[0]++;
		for (int j = 0; j < 2; j++) {
			tape_enter("middle");
			tape_enter("inner");
			calls[1]++;
			calls[2]++;
			type_size();
			tape_leave();
			tape_leave();
		}
		tape_leave();
		if (i % 777 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void names(long n)
{
	char name[16];

	for (long i = 0; i < n; i++) {
		strcpy(name, i % 2 ? "inner" : "outer");
		tape_enter(name);
		calls[i % 2 ? 2 : 0]++;
		tape_leave();
	}
}

static void off(long n)
{
	for (long i = 0; i < n; i++) {
		if (i % 1000 == 0)
			tape_off();
		if (i % 1000 == 10)
			tape_on();
		tape_enter("inner");
		calls[2] += i % 1000 >= 10;
		tape_leave();
	}
}

static void *outer_thread(void *n)
{
	for (long i = 0; i < *(long *)n; i++) {
		tape_enter("outer");
		calls[0]++;
		tape_leave();
	}
	return NULL;
}

static void threads(long n)
{
	pthread_t one;

	pthread_create(&one, NULL, outer_thread, &n);
	for (long i = 0; i < n; i++) {
		tape_enter("inner");
		calls[2]++;
		tape_leave();
	}
	pthread_join(one, NULL);
}

int main(int argc, char **argv)
{
	static const char *const names_of[] = { "outer", "middle", "inner",
						"MPI_Type_size" };
	long n = argc > 2 ? atol(argv[2]) : 0;
	const char *mode = argc > 3 ? argv[1] : "";
	char path[4096];
	int rank, level;
	FILE *f;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!strcmp(mode, "loop"))
		loop(n);
	else if (!strcmp(mode, "nested"))
		nested(n);
	else if (!strcmp(mode, "names"))
		names(n);
	else if (!strcmp(mode, "off"))
		off(n);
	else if (!strcmp(mode, "threads"))
		threads(n);
	else if (!strcmp(mode, "killed"))
		nested(n);
	snprintf(path, sizeof path, "%s.%d", argv[3], rank);
	f = fopen(path, "w");
	for (int i = 0; f && i < 4; i++)
		if (calls[i])
			fprintf(f, "%s %ld\n", names_of[i], calls[i]);
	if (f)
		fclose(f);
	if (!strcmp(mode, "killed")) {
		/* both have told what they counted */
		MPI_Barrier(MPI_COMM_WORLD);
		raise(SIGKILL);
	}
	MPI_Finalize();
	return 0;
}
