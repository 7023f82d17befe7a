/*
 * Errors, attributes, types that are asked for, all levels at once, lowest
 * levels and threads of libtape-hsplit, for eight processes bound to the eight
 * cores of goglin-2018's figure 1. The argument says how often some are done.
 * Prints what is wrong, and last, by rank 0, "many checks, N wrong".
 */
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape_hsplit.h"

static int rank, rounds, checks, wrong, handled, last_code;

#define CHECK(x) check(x, #x, __LINE__)

static void check(int is, const char *what, int line)
{
	checks++;
	if (is)
		return;
	wrong++;
	printf("rank %d, line %d: not %s\n", rank, line, what);
}

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	handled++;
	last_code = *code;
}

/* The class of what a call returned; its handler has had the same, once. */
static int class_of(int rc)
{
	int class = MPI_SUCCESS;

	CHECK(handled == (rc != MPI_SUCCESS));
	CHECK(!handled || last_code == rc);
	handled = 0;
	if (rc)
		MPI_Error_class(rc, &class);
	return class;
}

/* Nobody waits for a level that others do not make. */
static void different(MPI_Comm comm)
{
	MPI_Comm list[2];
	MPI_Info info;
	int levels;

	CHECK(class_of(tape_hsplit_all(comm, MPI_INFO_NULL, rank == 6 ? 1 : 2,
				       list, NULL, &levels)) == MPI_ERR_ARG);
	CHECK(levels == 0);
	CHECK(class_of(tape_hsplit_all(comm, MPI_INFO_NULL, 1, list,
				       rank == 3 ? NULL : list + 1,
				       &levels)) == MPI_ERR_ARG);
	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_hw_resource_type", "Package");
	CHECK(class_of(tape_hsplit_all(comm, rank == 7 ? info : MPI_INFO_NULL,
				       2, list, NULL, &levels)) == MPI_ERR_ARG);
	MPI_Info_free(&info);
}

static void errors(MPI_Comm comm)
{
	MPI_Comm new = comm, roots = comm, list[2], half, inter;
	const char *type;
	int levels, ranks[2] = {0, 8}, num, index;

	CHECK(class_of(tape_hsplit(MPI_COMM_NULL, MPI_INFO_NULL, &new)) ==
	      MPI_ERR_COMM);
	CHECK(new == MPI_COMM_NULL);
	CHECK(class_of(tape_hsplit_all(MPI_COMM_NULL, MPI_INFO_NULL, 2, list,
				       NULL, &levels)) == MPI_ERR_COMM);
	CHECK(class_of(tape_get_hlevel_info(MPI_COMM_NULL, &num, &index,
					    &type)) == MPI_ERR_COMM);
	CHECK(class_of(tape_get_min_hlevel(MPI_COMM_NULL, 1, ranks, &type)) ==
	      MPI_ERR_COMM);
	/* one process's mistake is an error of all */
	CHECK(class_of(tape_hsplit(comm, MPI_INFO_NULL,
				   rank == 5 ? NULL : &new)) == MPI_ERR_ARG);
	CHECK(rank == 5 || new == MPI_COMM_NULL);
	CHECK(class_of(tape_hsplit_with_roots(comm, MPI_INFO_NULL, &new,
					      rank ? &roots : NULL)) ==
	      MPI_ERR_ARG);
	CHECK(class_of(tape_hsplit_all(comm, MPI_INFO_NULL, 2,
				       rank == 2 ? NULL : list, NULL,
				       &levels)) == MPI_ERR_ARG);
	CHECK(class_of(tape_hsplit_all(comm, MPI_INFO_NULL, 0, list, NULL,
				       &levels)) == MPI_ERR_ARG);
	CHECK(class_of(tape_get_hlevel_info(comm, &num, &index, &type)) ==
	      MPI_ERR_ARG);
	CHECK(class_of(tape_get_min_hlevel(comm, 0, ranks, &type)) ==
	      MPI_ERR_ARG);
	CHECK(class_of(tape_get_min_hlevel(comm, 1, NULL, &type)) ==
	      MPI_ERR_ARG);
	CHECK(class_of(tape_get_min_hlevel(comm, 2, ranks, &type)) ==
	      MPI_ERR_RANK);
	ranks[1] = -1;
	CHECK(class_of(tape_get_min_hlevel(comm, 2, ranks, &type)) ==
	      MPI_ERR_RANK);

	MPI_Comm_split(comm, rank < 4, rank, &half);
	MPI_Intercomm_create(half, 0, comm, rank < 4 ? 4 : 0, 7, &inter);
	handled = 0;
	CHECK(class_of(tape_hsplit(inter, MPI_INFO_NULL, &new)) ==
	      MPI_ERR_COMM);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

/* A binding that is none on one process: all say so, one of them why. */
static void bad_binding(MPI_Comm comm)
{
	char *was = strdup(getenv("TAPE_BINDING")), text[MPI_MAX_ERROR_STRING];
	int n, code, all[2] = {1, 7};
	const char *type;
	MPI_Comm new;

	if (rank == 6)
		setenv("TAPE_BINDING", "1-x", 1);
	code = tape_hsplit(comm, MPI_INFO_NULL, &new);
	MPI_Error_string(code, text, &n);
	CHECK(strstr(text, "TAPE_BINDING") != NULL);
	CHECK(class_of(code) != MPI_SUCCESS);
	/* who is not asked is not in the way */
	CHECK(class_of(tape_get_min_hlevel(comm, 2, all, &type)) ==
	      MPI_SUCCESS);
	CHECK(strcmp(type, rank == 1 || rank == 7 ? "Machine" : "Unknown") ==
	      0);
	setenv("TAPE_BINDING", was, 1);
	free(was);
	CHECK(class_of(tape_hsplit(comm, MPI_INFO_NULL, &new)) == MPI_SUCCESS);
	MPI_Comm_free(&new);
}

static int has(MPI_Comm comm, int num, int index, const char *type)
{
	const char *t = "";
	int n = -1, i = -1;

	return tape_get_hlevel_info(comm, &n, &i, &t) == MPI_SUCCESS &&
	       n == num && i == index && strcmp(t, type) == 0;
}

static void attributes(MPI_Comm comm)
{
	MPI_Comm new, twin, again;
	const char *first, *second;
	MPI_Request request;

	tape_hsplit(comm, MPI_INFO_NULL, &new);
	MPI_Comm_dup(new, &twin);
	CHECK(has(new, 2, rank / 4, "L3"));
	tape_get_hlevel_info(new, NULL, NULL, &first);
	MPI_Comm_free(&new);
	CHECK(has(twin, 2, rank / 4, "L3"));
	MPI_Comm_idup(twin, &again, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	CHECK(has(again, 2, rank / 4, "L3"));
	tape_get_hlevel_info(again, NULL, NULL, &second);
	CHECK(first == second); /* the text outlives its communicators */
	MPI_Comm_free(&again);
	MPI_Comm_free(&twin);
	CHECK(strcmp(first, "L3") == 0);
	/* what else is made of it is not that piece of hardware */
	tape_hsplit(comm, MPI_INFO_NULL, &new);
	MPI_Comm_split(new, 0, 0, &twin);
	handled = 0;
	CHECK(tape_get_hlevel_info(twin, NULL, NULL, &first) != MPI_SUCCESS);
	handled = 0;
	MPI_Comm_free(&twin);
	MPI_Comm_free(&new);
}

static void guided(MPI_Comm comm, const char *asked, int members, int num,
		   const char *type)
{
	MPI_Comm list[4], new = MPI_COMM_NULL, roots = MPI_COMM_NULL;
	int levels, n = 0, r = -1;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_hw_resource_type", asked);
	MPI_Info_set(info, "another", "key");
	CHECK(class_of(tape_hsplit_with_roots(comm, info, &new, &roots)) ==
	      MPI_SUCCESS);
	CHECK((new == MPI_COMM_NULL) == (members == 0));
	if (new != MPI_COMM_NULL) {
		MPI_Comm_size(new, &n);
		CHECK(n == members);
		CHECK(has(new, num, rank / members, type));
		MPI_Comm_rank(new, &r);
		MPI_Comm_free(&new);
	}
	CHECK((roots != MPI_COMM_NULL) == (r == 0));
	if (roots != MPI_COMM_NULL) {
		MPI_Comm_size(roots, &n);
		CHECK(n == num);
		MPI_Comm_free(&roots);
	}
	tape_hsplit_all(comm, info, 4, list, NULL, &levels);
	CHECK(levels == (members > 0)); /* one level, not the same for ever */
	if (levels)
		MPI_Comm_free(&list[0]);
	MPI_Info_free(&info);
}

static void all_levels(MPI_Comm comm)
{
	static const char *const types[] = {"L3", "L1d", "Core"};
	MPI_Comm list[8], roots[8];
	int levels;

	CHECK(tape_hsplit_all(comm, MPI_INFO_NULL, 8, list, roots, &levels) ==
	      MPI_SUCCESS);
	CHECK(levels == 3);
	for (int i = 0; i < levels; i++) {
		CHECK(has(list[i], 2, rank >> (2 - i) & 1, types[i]));
		CHECK((roots[i] != MPI_COMM_NULL) == (rank % (4 >> i) == 0));
		if (roots[i] != MPI_COMM_NULL)
			MPI_Comm_free(&roots[i]);
		MPI_Comm_free(&list[i]);
	}
	tape_hsplit_all(comm, MPI_INFO_NULL, 2, list, NULL, &levels);
	CHECK(levels == 2);
	for (int i = 0; i < levels; i++)
		MPI_Comm_free(&list[i]);
}

static void lowest(MPI_Comm comm)
{
	static const struct {
		int n, ranks[4];
		const char *type;
	} lists[] = {
	    {1, {3}, "Core"},
	    {2, {3, 3}, "Core"},
	    {2, {3, 2}, "L1d"},
	    {3, {1, 3, 1}, "L3"},
	    {2, {6, 4}, "L3"},
	    {2, {4, 3}, "Machine"},
	    {4, {7, 6, 5, 0}, "Machine"},
	};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const char *type = NULL;
		int mine = 0;

		for (int k = 0; k < lists[i].n; k++)
			mine |= lists[i].ranks[k] == rank;
		CHECK(tape_get_min_hlevel(comm, lists[i].n, lists[i].ranks,
					  &type) == MPI_SUCCESS);
		CHECK(strcmp(type, mine ? lists[i].type : "Unknown") == 0);
		CHECK(strlen(type) < TAPE_MAX_HLEVEL);
	}
}

/*
 * What is allocated after as many rounds again is no more: at least once of
 * eight, for the MPI library keeps messages that came early.
 */
static void leaks(MPI_Comm comm)
{
	long least = 1 << 30, used[2] = {0};

	for (int i = 0; i < 9; i++) {
		for (int k = 0; k < 1 + rounds / 4; k++) {
			MPI_Comm new, roots, twin;

			tape_hsplit_with_roots(comm, MPI_INFO_NULL, &new,
					       &roots);
			MPI_Comm_dup(new, &twin);
			if (roots != MPI_COMM_NULL)
				MPI_Comm_free(&roots);
			MPI_Comm_free(&new);
			MPI_Comm_free(&twin);
		}
		used[0] = used[1];
		used[1] = (long)mallinfo2().uordblks;
		if (i && used[1] - used[0] < least)
			least = used[1] - used[0];
	}
	/* a level's memory, leaked in each round, would be twice that */
	CHECK(least < (1 + rounds / 4) * 24);
}

static void *split_often(void *comm)
{
	for (int i = 0; i < 1 + rounds / 8; i++) {
		MPI_Comm list[8];
		int levels;

		tape_hsplit_all(*(MPI_Comm *)comm, MPI_INFO_NULL, 8, list, NULL,
				&levels);
		CHECK(levels == 3 && has(list[2], 2, rank & 1, "Core"));
		for (int k = 0; k < levels; k++)
			MPI_Comm_free(&list[k]);
	}
	return NULL;
}

/* The first calls of all are those of two threads. */
static void threads(MPI_Comm comm)
{
	MPI_Comm mine, other;
	pthread_t t;

	MPI_Comm_dup(comm, &mine);
	MPI_Comm_dup(comm, &other);
	pthread_create(&t, NULL, split_often, &other);
	split_often(&mine);
	pthread_join(t, NULL);
	MPI_Comm_free(&mine);
	MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
	MPI_Errhandler e;
	int level, sum[2], mine[2];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	rounds = atoi(argv[1]);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_create_errhandler(handler, &e);
	if (level == MPI_THREAD_MULTIPLE)
		threads(MPI_COMM_WORLD);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, e);
	errors(MPI_COMM_WORLD);
	different(MPI_COMM_WORLD);
	bad_binding(MPI_COMM_WORLD);
	attributes(MPI_COMM_WORLD);
	guided(MPI_COMM_WORLD, "L3", 4, 2, "L3");
	guided(MPI_COMM_WORLD, "hwloc://L3Cache", 4, 2, "L3");
	guided(MPI_COMM_WORLD, "l2", 2, 4, "L2");
	guided(MPI_COMM_WORLD, "L1Cache", 2, 4, "L1d");
	guided(MPI_COMM_WORLD, "hwloc://NUMANode", 4, 2, "NUMANode");
	guided(MPI_COMM_WORLD, "package", 4, 2, "Package");
	guided(MPI_COMM_WORLD, "mpi_shared_memory", 8, 1, "Machine");
	guided(MPI_COMM_WORLD, "hwloc://PU", 1, 8, "PU");
	guided(MPI_COMM_WORLD, "L4", 0, 0, NULL);
	guided(MPI_COMM_WORLD, "gpu", 0, 0, NULL);
	all_levels(MPI_COMM_WORLD);
	lowest(MPI_COMM_WORLD);
	leaks(MPI_COMM_WORLD);
	mine[0] = checks;
	mine[1] = wrong;
	MPI_Reduce(mine, sum, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Errhandler_free(&e);
	if (rank == 0)
		printf("%s checks, %d wrong\n", sum[0] > 1000 ? "many" : "few",
		       sum[1]);
	MPI_Finalize();
	return 0;
}
