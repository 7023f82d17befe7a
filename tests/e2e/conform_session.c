/*
 * Sessions alone: a program without MPI_Init. Two sessions, the one within the
 * other; communicators of process sets. See conform.h, whose log goes by
 * MPI_COMM_WORLD, which is not there.
 */
#include "conform.h"

static MPI_Comm ours;

static void told(MPI_Session *s, int *code, ...)
{
	(void)s;
	say("told of class %d\n", *code != MPI_SUCCESS);
}

/* What a session says of itself. */
static void ask(MPI_Session s)
{
	MPI_Errhandler mine, theirs;
	MPI_Info info;
	char name[MPI_MAX_PSET_NAME_LEN];
	int n = -1, length = 0;

	C(Session_get_num_psets, s, MPI_INFO_NULL, &n);
	say("%d sets of processes\n", n);
	for (int i = 0; i < n; i++) {
		length = sizeof name;
		C(Session_get_nth_pset, s, MPI_INFO_NULL, i, &length, name);
		say("%s\n", name);
	}
	C(Session_get_pset_info, s, "mpi://SELF", &info);
	C(Info_free, &info);
	C(Session_get_info, s, &info);
	C(Info_free, &info);
	C(Session_create_errhandler, told, &mine);
	C(Session_set_errhandler, s, mine);
	C(Session_get_errhandler, s, &theirs);
	C(Session_call_errhandler, s, MPI_ERR_OTHER);
	C(Errhandler_free, &theirs);
	C(Session_set_errhandler, s, MPI_ERRORS_RETURN);
	C(Errhandler_free, &mine);
}

static MPI_Comm from(MPI_Session s, const char *set, const char *tag)
{
	MPI_Group g;
	MPI_Comm c;

	C(Group_from_session_pset, s, set, &g);
	rc("from group", C(Comm_create_from_group, g, tag, MPI_INFO_NULL,
			   MPI_ERRORS_RETURN, &c));
	C(Group_free, &g);
	return c;
}

/* Messages and a collective, of MPI_COMM_WORLD's kind. */
static void work(MPI_Comm c)
{
	int in = 10 * me, out = -1, sum = -1;
	MPI_Status s;
	MPI_Comm d;

	blank(&s, 1);
	C(Sendrecv, &in, 1, MPI_INT, right, 1, &out, 1, MPI_INT, left, 1, c,
	  &s);
	status("sendrecv", &s);
	C(Allreduce, &in, &sum, 1, MPI_INT, MPI_SUM, c);
	C(Comm_dup, c, &d);
	C(Barrier, d);
	C(Comm_free, &d);
	say("%d %d\n", out, sum);
}

static void between(MPI_Session s)
{
	int low[1] = { 0 }, out = -1;
	MPI_Group all, first, rest;
	MPI_Comm c;

	C(Group_from_session_pset, s, "mpi://WORLD", &all);
	C(Group_incl, all, 1, low, &first);
	C(Group_excl, all, 1, low, &rest);
	C(Intercomm_create_from_groups, me ? rest : first, 0,
	  me ? first : rest, 0, "between", MPI_INFO_NULL, MPI_ERRORS_RETURN,
	  &c);
	C(Comm_remote_size, c, &out);
	say("the others: %d\n", out);
	C(Barrier, c);
	C(Comm_free, &c);
	C(Group_free, &rest);
	C(Group_free, &first);
	C(Group_free, &all);
}

/* The logs in order of ranks: there is no world to gather them in. */
static int leave(const char *file)
{
	char path[4096];
	FILE *f;

	for (int r = 0; r < size; r++) {
		if (r == me) {
			printf("== rank %d\n%s", me, text);
			fflush(stdout);
		}
		PMPI_Barrier(ours);
	}
	PMPI_Comm_free(&ours);
	snprintf(path, sizeof path, "%s.%d", file, me);
	f = fopen(path, "w");
	for (int i = 0; f && *counts[i].name; i++)
		fprintf(f, "MPI_%s %ld\n", counts[i].name, counts[i].n);
	return !f || fclose(f);
}

int main(int argc, char **argv)
{
	MPI_Session outer, inner;
	MPI_Comm c, self;
	int bad;

	(void)argc;
	text = calloc(1, LOG_MAX);
	C(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN, &outer);
	c = from(outer, "mpi://WORLD", "ours");
	C(Comm_rank, c, &me);
	C(Comm_size, c, &size);
	right = (me + 1) % size;
	left = (me + size - 1) % size;
	PMPI_Comm_dup(c, &ours);
	ask(outer);
	work(c);
	self = from(outer, "mpi://SELF", "alone");
	C(Barrier, self);
	C(Comm_free, &self);
	between(outer);
	C(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN, &inner);
	self = from(inner, "mpi://WORLD", "inner");
	work(self);
	C(Comm_free, &self);
	C(Session_finalize, &inner);
	work(c);
	C(Comm_free, &c);
	hit("Session_finalize");
	bad = leave(argv[1]);
	MPI_Session_finalize(&outer);
	return bad;
}
