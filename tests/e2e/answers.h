/*
 * What the programs of answers.sh share. PROGRAM CASE [even]: a program with
 * one fault, or none, whose cause is known. On a simulated machine its times
 * are those of compute_for(), but for transfers of some microseconds. Rank 0
 * prints the truth, a line for each cause:
 *
 *	truth MARK RANKS SECONDS
 *
 * where MARK stands in a comment at the call after which these ranks computed,
 * and SECONDS is the waiting, of all ranks, that they caused by that; -1: not
 * known by a formula. With even all ranks compute what they did on average: the
 * balanced program.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD
#define BYTES MPI_BYTE
#define ANY MPI_STATUS_IGNORE
enum { STEPS = 40, BIG = 200000, MEGA = 1000000 };

static int me, n, even;
static char *data, *into; /* a MEGA each */

/* own: of this rank, ms; mean: of all ranks */
static void compute_for(double own, double mean)
{
	SMPI_SAMPLE_DELAY((even ? mean : own) * 1e-3);
}

static void print_truth(const char *mark, const char *ranks, double seconds)
{
	if (!me)
		printf("truth %s %s %.6f\n", mark, ranks, seconds);
}

static const char *rank_text(int rank)
{
	static char text[16];

	snprintf(text, sizeof text, "%d", rank);
	return text;
}

/* "0,1,2": those with a share. */
static const char *ranks_text(const int *share)
{
	static char text[1024];
	size_t at = 0;

	*text = '\0';
	for (int i = 0; i < n; i++)
		if (share[i])
			at += (size_t)snprintf(text + at, sizeof text - at,
					       "%s%d", at ? "," : "", i);
	return text;
}

struct answers_case {
	const char *name;
	void (*run)(void);
};

/* Runs the case that the program's argument names. */
static int run_case(int argc, char **argv, const struct answers_case *cases,
		    size_t number)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &n);
	even = argc > 2;
	data = calloc(2, MEGA);
	into = data + MEGA;
	for (size_t i = 0; i < number; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			cases[i].run();
	free(data);
	MPI_Finalize();
	return 0;
}
