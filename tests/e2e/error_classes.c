/*
 * Errors on every kind of communicator, with every error handler on it and on
 * MPI_COMM_WORLD, set before the communicator is made and after:
 *
 *	error_classes FILE [threads]
 *
 * Writes into FILE.RANK, for each, which errors the calls returned, which
 * handler heard of how many, and which handlers are set at the end. Between all
 * of that the program waits for receives, of which some fail. 2 processes or
 * more. With threads there are fewer kinds.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum handler { NONE, RETURN, OWN, FATAL, HANDLERS };
static const char *const handler_names[] = {"-", "return", "own", "fatal"};

enum kind {
	WORLD, DUP, IDUP, SPLIT, TYPE, CREATE, GROUP, CART, CART_SUB, GRAPH,
	ADJACENT, INTER, INTER_DUP, MERGE, INFO_DUP,
#if MPI_VERSION >= 4
	FROM_GROUP,
#endif
	KINDS
};
static const char *const kind_names[] = {
	"world", "dup", "idup", "split", "split_type", "create",
	"create_group", "cart", "cart_sub", "graph", "dist_graph_adjacent",
	"inter", "dup of inter", "merge", "dup_with_info", "create_from_group"
};

static int me, size, heard_world, heard_comm;
static MPI_Errhandler of_world, of_comm;

static void hear_world(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	heard_world++;
}

static void hear_comm(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	heard_comm++;
}

static int class_of(int rc)
{
	int class = 0;

	if (rc != MPI_SUCCESS)
		MPI_Error_class(rc, &class);
	return class;
}

static MPI_Errhandler handler_of(enum handler h, MPI_Errhandler own)
{
	return h == RETURN ? MPI_ERRORS_RETURN
	       : h == OWN  ? own
			   : MPI_ERRORS_ARE_FATAL;
}

static void set(MPI_Comm comm, enum handler h, MPI_Errhandler own)
{
	if (h != NONE)
		MPI_Comm_set_errhandler(comm, handler_of(h, own));
}

static const char *get(MPI_Comm comm)
{
	MPI_Errhandler h;

	MPI_Comm_get_errhandler(comm, &h);
	if (h == MPI_ERRORS_ARE_FATAL)
		return "fatal";
	if (h == MPI_ERRORS_RETURN)
		return "return";
	if (h == of_world) {
		MPI_Errhandler_free(&h);
		return "world's";
	}
	MPI_Errhandler_free(&h);
	return "its own";
}

static MPI_Comm half(void)
{
	MPI_Comm comm;

	MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comm);
	return comm;
}

static MPI_Comm inter(void)
{
	MPI_Comm local = half(), comm;

	MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - me % 2, 3, &comm);
	MPI_Comm_free(&local);
	return comm;
}

#if MPI_VERSION >= 4
static MPI_Session session = MPI_SESSION_NULL;

static MPI_Comm from_group(void)
{
	MPI_Group group;
	MPI_Comm comm;

	if (session == MPI_SESSION_NULL)
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "errors", MPI_INFO_NULL,
				   MPI_ERRORS_RETURN, &comm);
	MPI_Group_free(&group);
	return comm;
}
#endif

static MPI_Comm make(enum kind kind)
{
	MPI_Comm comm = MPI_COMM_NULL, other = MPI_COMM_NULL;
	int dims = size, on = 1, left = (me + size - 1) % size;
	int right = (me + 1) % size, index[64], edges[64];
	MPI_Group group;
	MPI_Request r;

	MPI_Comm_group(MPI_COMM_WORLD, &group);
	switch (kind) {
	case WORLD:
		comm = MPI_COMM_WORLD;
		break;
	case DUP:
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		break;
	case IDUP:
		MPI_Comm_idup(MPI_COMM_WORLD, &comm, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		break;
	case SPLIT:
		comm = half();
		break;
	case TYPE:
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me,
				    MPI_INFO_NULL, &comm);
		break;
	case CREATE:
		MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
		break;
	case GROUP:
		MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
		break;
	case CART:
		MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &on, 0, &comm);
		break;
	case CART_SUB:
		MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &on, 0, &other);
		MPI_Cart_sub(other, &on, &comm);
		break;
	case GRAPH:
		for (int i = 0; i < size; i++) {
			index[i] = i + 1;
			edges[i] = (i + 1) % size;
		}
		MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
		break;
	case ADJACENT:
		MPI_Dist_graph_create_adjacent(
		    MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
		    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
		break;
	case INTER:
		comm = inter();
		break;
	case INTER_DUP:
		other = inter();
		MPI_Comm_dup(other, &comm);
		break;
	case MERGE:
		other = inter();
		MPI_Intercomm_merge(other, me % 2, &comm);
		break;
	case INFO_DUP:
		MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
		break;
#if MPI_VERSION >= 4
	case FROM_GROUP:
		comm = from_group();
		break;
#endif
	case KINDS:
		break;
	}
	MPI_Group_free(&group);
	if (other != MPI_COMM_NULL)
		MPI_Comm_free(&other);
	return comm;
}

/*
 * What waiting does, and whether it is told of messages that are too long: with
 * a handler that is fatal on world that is left out.
 */
static void waits(int fails)
{
	int in[3], out[2] = {me, me}, rc, n, which[3], flag;
	MPI_Request r[3];
	MPI_Status s[3];

	for (int way = 0; way < 5; way++) {
		for (int i = 0; i < 3; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, me, 40 + i,
				  MPI_COMM_WORLD, &r[i]);
		for (int i = 0; i < 3; i++)
			MPI_Send(out, fails && i == 1 ? 2 : 1, MPI_INT, me,
				 40 + i, MPI_COMM_WORLD);
		rc = way == 0	? MPI_Waitall(3, r, s)
		     : way == 1 ? MPI_Waitsome(3, r, &n, which, s)
		     : way == 2 ? MPI_Waitany(2, r + 1, which, s)
		     : way == 3 ? MPI_Wait(r + 1, s)
				: MPI_Request_get_status(r[1], &flag, s);
		printf(" %d", class_of(rc));
		for (int i = 0; i < 3; i++)
			if (r[i] != MPI_REQUEST_NULL)
				printf("/%d", class_of(MPI_Wait(&r[i], s)));
	}
}

/* What is wrong at any communicator. */
static void errors(MPI_Comm comm, int world_is_fatal)
{
	int x = 0, size_of = 1, on = 0;
	MPI_Comm none = MPI_COMM_NULL;
	MPI_Request r;

	printf(" send %d", class_of(MPI_Send(&x, 1, MPI_INT, 77, 0, comm)));
	printf(" recv %d", class_of(MPI_Recv(&x, -1, MPI_INT, 0, 0, comm,
					     MPI_STATUS_IGNORE)));
	printf(" irecv %d",
	       class_of(MPI_Irecv(&x, 1, MPI_INT, 77, 0, comm, &r)));
	printf(" bcast %d", class_of(MPI_Bcast(&x, -1, MPI_INT, 0, comm)));
	size_of = 1000;
#ifdef OPEN_MPI
	if (world_is_fatal) /* which an intercommunicator's error is for */
		return;
#else
	(void)world_is_fatal;
#endif
	printf(" cart %d", class_of(MPI_Cart_create(comm, 1, &size_of, &on, 0,
						    &none)));
}

/*
 * early and later are set on MPI_COMM_WORLD ahead of the communicator and when
 * it is there, its on the communicator itself.
 */
static void one(enum kind kind, enum handler early, enum handler later,
		enum handler its)
{
	enum handler world = later ? later : early;
	MPI_Comm comm, second;

	set(MPI_COMM_WORLD, early, of_world);
	waits(early != FATAL);
	comm = make(kind);
	set(MPI_COMM_WORLD, later, of_world);
	waits(world != FATAL);
	if (kind != WORLD)
		set(comm, its, of_comm);
	waits(world != FATAL);
	heard_world = heard_comm = 0;
	printf(" %s world %s %s, it %s: has %s;", kind_names[kind],
	       handler_names[early], handler_names[later], handler_names[its],
	       get(comm));
	/* what is fatal is so with a communicator that was made after, too */
#ifdef OPEN_MPI
	if (strcmp(get(comm), "fatal"))
#else
	if (kind == WORLD ? world != FATAL
	    : its	  ? its != FATAL
			  : world != FATAL && early != FATAL)
#endif
		errors(comm, world == FATAL);
	printf(" world heard %d, its own %d;", heard_world, heard_comm);
	MPI_Comm_dup(comm, &second);
	printf(" a dup has %s, world %s\n", get(second), get(MPI_COMM_WORLD));
	MPI_Comm_free(&second);
	if (kind != WORLD)
		MPI_Comm_free(&comm);
}

/* Nothing was set on world yet: what is made then lives on. */
static void at_start(void)
{
	MPI_Comm first[KINDS];

	waits(0);
	for (int k = WORLD; k < KINDS; k++)
		first[k] = make((enum kind)k);
	waits(0);
	for (int k = WORLD; k < KINDS; k++)
		printf(" %s has %s\n", kind_names[k], get(first[k]));
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int k = WORLD; k < KINDS; k++) {
		printf(" %s of the start:", kind_names[k]);
#ifdef OPEN_MPI
		if (!strcmp(get(first[k]), "fatal")) {
			printf(" fatal\n");
			continue;
		}
#endif
		errors(first[k], 0);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	char name[4096];
	int level, kinds;

	MPI_Init_thread(&argc, &argv,
			argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
			&level);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(name, sizeof name, "%s.%d", argc > 1 ? argv[1] : "errors", me);
	if (!freopen(name, "w", stdout))
		return 1;
	MPI_Comm_create_errhandler(hear_world, &of_world);
	MPI_Comm_create_errhandler(hear_comm, &of_comm);
	at_start();
	kinds = level == MPI_THREAD_MULTIPLE ? IDUP : KINDS;
	for (int k = WORLD; k < kinds; k++)
		for (int later = NONE; later < HANDLERS; later++)
			for (int its = NONE; its < FATAL; its++) {
				one((enum kind)k, RETURN, (enum handler)later,
				    (enum handler)its);
				one((enum kind)k, FATAL, (enum handler)later,
				    (enum handler)its);
			}
#if MPI_VERSION >= 4
	MPI_Session_finalize(&session);
#endif
	MPI_Finalize();
	return 0;
}
