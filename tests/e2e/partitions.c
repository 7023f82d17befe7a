/*
 * Everything that a program can learn of MPI_COMM_WORLD: run alone and in a
 * partition it says the same. "partitions abort RANK" ends by MPI_Abort,
 * "partitions error RANK" by an error that is fatal; "partitions spawn" starts
 * two more, "partitions quiet" only begins and ends.
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me, n;

static void say(const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	/* at once: MPICH takes the buffer away, Hydra mixes what it reads */
	printf("%d/%d %s\n", me, n, text);
}

static const char *name_of(MPI_Comm c)
{
	return c == MPI_COMM_WORLD  ? "world"
	       : c == MPI_COMM_SELF ? "self"
	       : c == MPI_COMM_NULL ? "null"
				    : "another";
}

/* ---- call-backs ---- */

static void handler(MPI_Comm *comm, int *code, ...)
{
	int class;

	MPI_Error_class(*code, &class);
	say("handler: %s, class %d", name_of(*comm), class);
}

static void second_handler(MPI_Comm *comm, int *code, ...)
{
	int rank;

	MPI_Comm_rank(*comm, &rank);
	say("second handler: %s %d %d", name_of(*comm), rank, *code);
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out,
		int *flag)
{
	say("copy of %s, %s, %s", name_of(comm), (char *)extra, (char *)in);
	*(void **)out = "copied";
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void *value, void *extra)
{
	int size = -1;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	say("delete from %s, %s, %s, %d", name_of(comm), (char *)extra,
	    (char *)value, size);
	return MPI_SUCCESS;
}

/* ---- what there is to learn ---- */

static void attributes(void)
{
	static const int keys[] = {
	    MPI_TAG_UB,	       MPI_HOST,   MPI_IO,	    MPI_WTIME_IS_GLOBAL,
	    MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE};
	MPI_Comm comms[4] = {MPI_COMM_WORLD, MPI_COMM_SELF};
	int *value, flag, key, old;

	MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[3]);
	for (int c = 0; c < 4; c++)
		for (int k = 0; k < 7; k++) {
			MPI_Comm_get_attr(comms[c], keys[k], &value, &flag);
			say("attribute %d of %d: %d %d", k, c, flag,
			    flag ? *value : 0);
		}
	MPI_Comm_free(&comms[2]);
	MPI_Comm_free(&comms[3]);
	MPI_Comm_create_keyval(copy, delete, &key, "extra");
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, "value");
	MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
	MPI_Comm_get_attr(comms[2], key, &value, &flag);
	say("of the duplicate: %d %s", flag, (char *)value);
	MPI_Comm_delete_attr(comms[2], key);
	MPI_Comm_free(&comms[2]);
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, "new value");
	MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
	/* found by both at the end, that of MPI_COMM_SELF first */
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, "world");
	MPI_Comm_set_attr(MPI_COMM_SELF, key, "self");
	MPI_Comm_free_keyval(&key);
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &old,
			       NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, old, "duplicated");
	MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
	MPI_Comm_get_attr(comms[2], old, &value, &flag);
	say("of the second: %d %s", flag, (char *)value);
	MPI_Comm_free(&comms[2]);
	MPI_Comm_free_keyval(&old);
}

static void names(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length;

	MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
	say("name %s %d", name, length);
	MPI_Comm_set_name(MPI_COMM_WORLD, "ours");
	MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
	say("name %s %d", name, length);
}

static void compare(void)
{
	MPI_Comm comms[4] = {MPI_COMM_WORLD, MPI_COMM_SELF}, parent, back;
	MPI_Group group, half;
	int result, ranks[64], all[64], flag;

	MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[3]);
	for (int i = 0; i < 4; i++) {
		MPI_Comm_compare(MPI_COMM_WORLD, comms[i], &result);
		say("compared with %d: %d", i, result);
	}
	MPI_Comm_get_parent(&parent);
	say("parent %s", name_of(parent));
	back = MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD));
	say("and back: %s", name_of(back));
	MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
	say("between: %d", flag);
	MPI_Topo_test(MPI_COMM_WORLD, &flag);
	say("topology: %d", flag == MPI_UNDEFINED);
	MPI_Comm_group(MPI_COMM_WORLD, &group);
	for (int i = 0; i < n; i++)
		ranks[i] = n - 1 - i;
	MPI_Group_incl(group, n, ranks, &half);
	MPI_Group_translate_ranks(half, n, ranks, group, all);
	for (int i = 0; i < n; i++)
		say("member %d: %d", i, all[i]);
	MPI_Comm_create(MPI_COMM_WORLD, half, &back);
	MPI_Comm_compare(MPI_COMM_WORLD, back, &result);
	say("the other way round: %d", result);
	MPI_Comm_free(&back);
	MPI_Comm_free(&comms[2]);
	MPI_Comm_free(&comms[3]);
	MPI_Group_free(&group);
	MPI_Group_free(&half);
}

/* MPICH frees MPI_COMM_WORLD if it is asked to. */
static void errors(void)
{
	MPI_Errhandler h, second, got;
	MPI_Comm dup, world = MPI_COMM_WORLD;
	int x = 0, rc, class;

	MPI_Comm_create_errhandler(handler, &h);
	MPI_Comm_create_errhandler(second_handler, &second);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
	say("the same handler: %d", got == h);
	rc = MPI_Send(&x, 1, MPI_INT, n, 1, MPI_COMM_WORLD);
	MPI_Error_class(rc, &class);
	say("sent too far: %d", class);
	rc = MPI_Bcast(&x, 1, MPI_INT, n + 7, MPI_COMM_WORLD);
	MPI_Error_class(rc, &class);
	say("a wrong root: %d", class);
	rc = MPI_Type_commit(&(MPI_Datatype){MPI_DATATYPE_NULL});
	MPI_Error_class(rc, &class);
	say("without a communicator: %d", class);
#ifdef OPEN_MPI
	rc = MPI_Comm_free(&world);
	say("not freed: %d %s", rc != MPI_SUCCESS, name_of(world));
#endif
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, second);
	MPI_Comm_call_errhandler(dup, MPI_ERR_TAG);
	MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_ARG);
	MPI_Comm_free(&dup);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&h);
	MPI_Errhandler_free(&second);
	MPI_Errhandler_free(&got);
}

static void objects(void)
{
	MPI_Group group;
	MPI_File file;
	MPI_Win win;
	int size, *base, in = 0;

	MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_get_group(win, &group);
	MPI_Group_size(group, &size);
	say("window of %d", size);
	MPI_Group_free(&group);
	*base = me;
	MPI_Win_fence(0, win);
	MPI_Get(&in, 1, MPI_INT, n - 1, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	say("got %d", in);
	MPI_Win_free(&win);
	MPI_File_open(MPI_COMM_WORLD, "partitions.data",
		      MPI_MODE_CREATE | MPI_MODE_RDWR |
			  MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	MPI_File_get_group(file, &group);
	MPI_Group_size(group, &size);
	say("file of %d", size);
	MPI_Group_free(&group);
	MPI_File_close(&file);
}

static void spawn(const char *self)
{
	char *arguments[] = {"child", NULL};
	MPI_Comm between, all;
	int sum = 0, rank;

	MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
		       &between, MPI_ERRCODES_IGNORE);
	MPI_Intercomm_merge(between, 0, &all);
	MPI_Comm_rank(all, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	say("with the children: %d %d", rank, sum);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&between);
}

static void child(void)
{
	MPI_Comm parent, all;
	int size, rank, sum = 0;

	MPI_Comm_get_parent(&parent);
	MPI_Comm_remote_size(parent, &size);
	say("child of %d", size);
	MPI_Intercomm_merge(parent, 1, &all);
	MPI_Comm_rank(all, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	say("with the parents: %d %d", rank, sum);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	say("%s", what);
	if (!strcmp(what, "spawn")) {
		spawn(argv[0]);
	} else if (!strcmp(what, "child")) {
		child();
	} else if (!strcmp(what, "abort")) {
		if (me == atoi(argv[2]))
			MPI_Abort(MPI_COMM_WORLD, 7);
		MPI_Barrier(MPI_COMM_WORLD);
	} else if (!strcmp(what, "error")) {
		if (me == atoi(argv[2]))
			MPI_Send(&x, 1, MPI_INT, n, 1, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	} else if (strcmp(what, "quiet")) {
		attributes();
		names();
		compare();
		errors();
		objects();
	}
	MPI_Finalize();
	return 0;
}
