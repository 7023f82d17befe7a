/* The program's own world, in C and what both languages share; virtual.h. */
#include <stdlib.h>

#include "next.h"
#include "own_stack.h"
#include "partitions.h"
#include "message.h"
#include "virtual.h"

MPI_Comm tape_virtual_world = MPI_COMM_WORLD;
MPI_Fint tape_virtual_fortran_world, tape_virtual_fortran_real;
int tape_virtual_universe, tape_virtual_app;

/* The tables as they were. */
static struct tape_next below;

/* A duplicate of the partition has this attribute, too; else it is invalid. */
static int marker = MPI_KEYVAL_INVALID;

static inline MPI_Comm virtual_comm(MPI_Comm comm)
{
	return comm == MPI_COMM_WORLD ? tape_virtual_world : comm;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "tape_virtual.h"

/* ---- attributes ---- */

int tape_virtual_predefined(int key)
{
	static const int keys[] = {
	    MPI_TAG_UB,	       MPI_HOST,   MPI_IO,	    MPI_WTIME_IS_GLOBAL,
	    MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (key == keys[i])
			return 1;
	return 0;
}

int tape_virtual_has_attributes(MPI_Comm comm)
{
	void *value;
	int flag = 0;

	if (virtual_comm(comm) == tape_virtual_world)
		return 1;
	if (marker != MPI_KEYVAL_INVALID)
		PMPI_Comm_get_attr(comm, marker, &value, &flag);
	return flag;
}

/*
 * Those that MPI defines are of the real world only; Open MPI copies them to a
 * duplicate, all but one.
 */
static int get_attr(int (*get)(MPI_Comm, int, void *, int *), MPI_Comm comm,
		    int key, void *value, int *flag)
{
	int rc = get(virtual_comm(comm), key, value, flag);

	if (rc != MPI_SUCCESS || !tape_virtual_predefined(key))
		return rc;
	if (!*flag && tape_virtual_has_attributes(comm) &&
	    (key != MPI_LASTUSEDCODE || comm == MPI_COMM_WORLD))
		rc = get(MPI_COMM_WORLD, key, value, flag);
	if (rc != MPI_SUCCESS || !*flag)
		return rc;
	if (key == MPI_UNIVERSE_SIZE)
		*(int **)value = &tape_virtual_universe;
	else if (key == MPI_APPNUM)
		*(int **)value = &tape_virtual_app;
	return rc;
}

static int virtual_MPI_Comm_get_attr(MPI_Comm comm, int key, void *value,
				     int *flag)
{
	return get_attr(below.to_MPI_Comm_get_attr, comm, key, value, flag);
}

static int virtual_MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag)
{
	return get_attr(below.to_MPI_Attr_get, comm, key, value, flag);
}

static int virtual_MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy,
					  MPI_Comm_delete_attr_function *delete,
					  int *keyval, void *extra)
{
	struct tape_virtual_keyval k = {copy, delete, extra};

	tape_virtual_keyval(&k);
	return below.to_MPI_Comm_create_keyval(k.copy, k.delete, keyval,
					       k.extra);
}

static int virtual_MPI_Keyval_create(MPI_Copy_function *copy,
				     MPI_Delete_function *delete, int *keyval,
				     void *extra)
{
	struct tape_virtual_keyval k = {copy, delete, extra};

	tape_virtual_keyval(&k);
	return below.to_MPI_Keyval_create(k.copy, k.delete, keyval, k.extra);
}

/* ---- error handlers ---- */

static int
virtual_MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function,
				   MPI_Errhandler *handler)
{
	return below.to_MPI_Comm_create_errhandler(
	    tape_virtual_handler(function), handler);
}

static int virtual_MPI_Errhandler_create(MPI_Comm_errhandler_function *function,
					 MPI_Errhandler *handler)
{
	return below.to_MPI_Errhandler_create(tape_virtual_handler(function),
					      handler);
}

/* Errors of calls without a communicator are those of the real one. */
static int set_handler(int (*set)(MPI_Comm, MPI_Errhandler), MPI_Comm comm,
		       MPI_Errhandler handler)
{
	MPI_Comm to = virtual_comm(comm);
	int rc;

	if (to == tape_virtual_world)
		handler = tape_virtual_fatal(handler);
	rc = set(to, handler);
	if (rc == MPI_SUCCESS && comm != to)
		PMPI_Comm_set_errhandler(comm, handler);
	return rc;
}

static int virtual_MPI_Comm_set_errhandler(MPI_Comm comm,
					   MPI_Errhandler handler)
{
	return set_handler(below.to_MPI_Comm_set_errhandler, comm, handler);
}

static int virtual_MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler)
{
	return set_handler(below.to_MPI_Errhandler_set, comm, handler);
}

#ifndef OPEN_MPI
static int seen_MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
	int rc = virtual_MPI_Comm_get_errhandler(comm, handler);

	if (rc == MPI_SUCCESS)
		*handler = tape_virtual_seen(*handler);
	return rc;
}

static int seen_MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler)
{
	int rc = virtual_MPI_Errhandler_get(comm, handler);

	if (rc == MPI_SUCCESS)
		*handler = tape_virtual_seen(*handler);
	return rc;
}
#endif

/* ---- the parts of calls that ask: to the library, past layers ---- */

static int probe_irecv(void *buf, int count, MPI_Datatype type, int source,
		       int tag, MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Irecv(buf, count, type, source, tag, virtual_comm(comm),
			  request);
}

static int probe_send(const void *buf, int count, MPI_Datatype type, int to,
		      int tag, MPI_Comm comm)
{
	return PMPI_Send(buf, count, type, to, tag, virtual_comm(comm));
}

static int probe_isend(const void *buf, int count, MPI_Datatype type, int to,
		       int tag, MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Isend(buf, count, type, to, tag, virtual_comm(comm),
			  request);
}

static int probe_iprobe(int source, int tag, MPI_Comm comm, int *flag,
			MPI_Status *status)
{
	return PMPI_Iprobe(source, tag, virtual_comm(comm), flag, status);
}

static int probe_probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	return PMPI_Probe(source, tag, virtual_comm(comm), status);
}

static int probe_improbe(int source, int tag, MPI_Comm comm, int *flag,
			 MPI_Message *message, MPI_Status *status)
{
	return PMPI_Improbe(source, tag, virtual_comm(comm), flag, message,
			    status);
}

static int probe_mprobe(int source, int tag, MPI_Comm comm,
			MPI_Message *message, MPI_Status *status)
{
	return PMPI_Mprobe(source, tag, virtual_comm(comm), message, status);
}

static void install_probe_calls(void)
{
	tape_probe_calls = (struct tape_probe_calls){
	    probe_irecv, probe_send,	probe_isend,  probe_iprobe,
	    probe_probe, probe_improbe, probe_mprobe,
	};
}

/* ---- start and end ---- */

TAPE_ON_OWN_STACK

int tape_virtual_wanted(void)
{
	return secure_getenv("TAPE_PARTITIONED") != NULL;
}

static void install_all(void)
{
	below = tape_next;
	install_generated();
	install_probe_calls();
	tape_virtual_sessions();
#define INSTALL(name) tape_next.to_##name = virtual_##name
	INSTALL(MPI_Comm_get_attr);
	INSTALL(MPI_Attr_get);
	INSTALL(MPI_Comm_create_keyval);
	INSTALL(MPI_Keyval_create);
	INSTALL(MPI_Comm_create_errhandler);
	INSTALL(MPI_Errhandler_create);
	INSTALL(MPI_Comm_set_errhandler);
	INSTALL(MPI_Errhandler_set);
#ifndef OPEN_MPI
	tape_next.to_MPI_Comm_get_errhandler = seen_MPI_Comm_get_errhandler;
	tape_next.to_MPI_Errhandler_get = seen_MPI_Errhandler_get;
	/* of a part of the processes it is a race for the exit status */
	tape_next.to_MPI_Abort = below.to_MPI_Abort;
#endif
}

/* Ahead of main, or of MPI_Init where a constructor calls that. */
__attribute__((constructor)) static void install_tables(void)
{
	static int installed;

	if (installed || !tape_virtual_wanted())
		return;
	installed = 1;
	tape_next_replace(install_all);
}

/*
 * Attributes of MPI_COMM_SELF go first in MPI_Finalize, in the reverse order
 * of their setting: what the program does when its own go finds its world.
 */
static int leave_partition(MPI_Comm self, int key, void *value, void *extra)
{
	(void)self, (void)key, (void)value, (void)extra;
	if (marker != MPI_KEYVAL_INVALID)
		PMPI_Comm_free_keyval(&marker);
	tape_partitions_close();
	tape_virtual_world = MPI_COMM_WORLD;
	tape_virtual_fortran_world = tape_virtual_fortran_real;
	return MPI_SUCCESS;
}

/*
 * What a program may start until the job is full: not in place of another one.
 * Where more processes run than there is room for it is what it would be alone.
 */
static int count_universe(const struct tape_partitions *all)
{
	int *whole, flag = 0, left, mine = all->my->size;

	PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &whole, &flag);
	if (!flag)
		return 0;
	left = *whole - (all->size - mine);
	return left >= mine ? left : *whole < mine ? *whole : mine;
}

int tape_virtual_open(void)
{
	const struct tape_partition_request request = {
	    .name = secure_getenv("TAPE_PARTITIONED"),
	    .command = secure_getenv("TAPE_COMMAND"),
	};
	char error[TAPE_PARTITION_ERROR];
	const struct tape_partitions *all;
	int key;

	install_tables();
	if (tape_partitions_open(&request, error, sizeof error)) {
		tape_say("%s", error);
		return -1;
	}
	all = tape_partitions();
	tape_virtual_universe = count_universe(all);
	tape_virtual_app = all->my_app;
	PMPI_Comm_set_name(all->mine, "MPI_COMM_WORLD");
	tape_virtual_begin_fatal();
#ifdef OPEN_MPI
	PMPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN,
				&marker, NULL);
	PMPI_Comm_set_attr(all->mine, marker, NULL);
#endif
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave_partition, &key,
				NULL);
	PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	PMPI_Comm_free_keyval(&key);
	tape_virtual_fortran_real = PMPI_Comm_c2f(MPI_COMM_WORLD);
	tape_virtual_fortran_world = PMPI_Comm_c2f(all->mine);
	tape_virtual_world = all->mine;
	return 0;
}
TAPE_ON_OWN_STACK_END
#pragma GCC diagnostic pop
