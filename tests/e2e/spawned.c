/*
 * Processes that start others. Each message has a tag of its own, and both its
 * sides print that with the process's name: P.RANK of those that were there
 * first, A.RANK (MPI_Comm_spawn), B.RANK (MPI_Comm_spawn_multiple), G.RANK (of
 * children of A); A.RANK also prints what it was started with.
 *
 *	spawned            the run; 3 processes
 *	spawned missing    starts a program that is not there: it prints how
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *world = "P";
static char *self;
static int rank, size;

#define WORLD MPI_COMM_WORLD

static void put(MPI_Comm comm, int to, int tag)
{
	MPI_Send(&tag, 1, MPI_INT, to, tag, comm);
	printf("%d sent %s.%d\n", tag, world, rank);
}

static void get(MPI_Comm comm, int from, int tag)
{
	MPI_Recv(&tag, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
	printf("%d received %s.%d\n", tag, world, rank);
}

/* Each process of one side to each of the other, and back. */
static void across(MPI_Comm inter, int first, int tag)
{
	int me, n;

	MPI_Comm_rank(inter, &me);
	MPI_Comm_remote_size(inter, &n);
	for (int i = 0; i < n; i++)
		if (first)
			put(inter, i, tag + 10 * me + i);
		else
			get(inter, i, tag + 10 * i + me);
	for (int i = 0; i < n; i++)
		if (first)
			get(inter, i, tag + 50 + 10 * i + me);
		else
			put(inter, i, tag + 50 + 10 * me + i);
}

/* Each to the next one. */
static void around(MPI_Comm comm, int tag)
{
	int me, n;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	if (n == 1)
		return;
	if (me)
		get(comm, me - 1, tag + me - 1);
	put(comm, (me + 1) % n, tag + me);
	if (!me)
		get(comm, n - 1, tag + n - 1);
}

/* What is made from the intercommunicator, by both sides alike. */
static void with(MPI_Comm inter, int first, int tag)
{
	MPI_Comm merged, other, half;
	MPI_Request q;
	int value = 1, me;

	across(inter, first, tag);
	MPI_Barrier(inter);
	MPI_Comm_idup(inter, &other, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	across(other, first, tag + 100);
	MPI_Comm_free(&other);
	MPI_Intercomm_merge(inter, !first, &merged);
	around(merged, tag + 200);
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, merged);
	MPI_Comm_rank(merged, &me);
	/* in the other order */
	MPI_Comm_split(merged, me % 2, -me, &half);
	around(half, tag + 300 + 10 * (me % 2));
	MPI_Comm_free(&half);
	MPI_Comm_split(inter, 0, -me, &other);
	across(other, first, tag + 400);
	MPI_Comm_free(&other);
	MPI_Comm_free(&merged);
}

static void start(MPI_Comm comm, int root, char *name, int n, MPI_Info info,
		  MPI_Comm *inter)
{
	char *arguments[] = { name, NULL };
	int codes[8];

	MPI_Comm_spawn(self, arguments, n, info, root, comm, inter, codes);
}

static void start_two(MPI_Comm *inter)
{
	char *commands[2] = { self, self }, *b[2] = { "B", NULL };
	char **arguments[2] = { b, b };
	int counts[2] = { 1, 1 }, codes[2];
	MPI_Info infos[2] = { MPI_INFO_NULL, MPI_INFO_NULL };

	MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, WORLD,
				inter, codes);
}

static void parent(void)
{
	MPI_Comm back, a, b;
	MPI_Info info;

	MPI_Comm_split(WORLD, 0, -rank, &back);
	MPI_Info_create(&info);
	MPI_Info_set(info, "env", "OF_INFO=given");
	start(back, 0, "A", 2, info, &a);
	MPI_Info_free(&info);
	with(a, 1, 1000);
	start_two(&b);
	with(b, 1, 2000);
	MPI_Comm_disconnect(&a);
	MPI_Comm_disconnect(&b);
	MPI_Comm_free(&back);
}

static void child(MPI_Comm up, int argc, char **argv)
{
	MPI_Comm g;

	if (!strcmp(world, "A"))
		printf("A.%d is %s with %d arguments, given %s\n", rank,
		       argv[0], argc - 1, getenv("OF_INFO"));
	with(up, 0, *world == 'A' ? 1000 : *world == 'B' ? 2000 : 3000);
	if (!strcmp(world, "A")) {
		start(WORLD, 1, "G", 1, MPI_INFO_NULL, &g);
		with(g, 1, 3000);
		MPI_Comm_disconnect(&g);
	}
	MPI_Comm_disconnect(&up);
}

static void missing(void)
{
	MPI_Comm c = MPI_COMM_NULL;
	int rc, class_ = 0, codes[1] = { 0 };

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	rc = MPI_Comm_spawn("./no-such-program", MPI_ARGV_NULL, 1,
			    MPI_INFO_NULL, 0, WORLD, &c, codes);
	MPI_Error_class(rc, &class_);
	printf("%d: %d %d %d\n", rank, rc != MPI_SUCCESS, class_,
	       c == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
	MPI_Comm up;

	self = argv[0];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	MPI_Comm_get_parent(&up);
	if (up != MPI_COMM_NULL)
		world = argv[1];
	if (up != MPI_COMM_NULL)
		child(up, argc, argv);
	else if (argc > 1)
		missing();
	else
		parent();
	MPI_Finalize();
	return 0;
}
