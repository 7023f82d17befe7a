/*
 * Sessions in a job of several programs; virtual.h. A program that begins with
 * MPI_Session_init has no MPI_COMM_WORLD that the others could meet it on: it
 * gets one without its knowledge, from its first session to its last.
 */
#include <stdio.h>
#include <strings.h>

#include "next.h"
#include "partitions.h"
#include "virtual.h"

#ifdef TAPE_HAS_MPI_Session_init

/* The functions as they were. */
static struct tape_next below;

/* Ours is the world; what of it the program has asked for itself. */
static int ours, sessions;
static enum { NOTHING, BEGUN, ENDED } asked;

int tape_virtual_begin(void)
{
	int level;

	if (PMPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) !=
	    MPI_SUCCESS)
		return -1;
	ours = 1;
	return 0;
}

/* With the last session and without the program's world goes ours. */
static int end_ours(void)
{
	if (!ours || sessions || asked == BEGUN)
		return MPI_SUCCESS;
	ours = 0;
	return PMPI_Finalize();
}

static int virtual_MPI_Session_init(MPI_Info info, MPI_Errhandler handler,
				    MPI_Session *session)
{
	int rc = below.to_MPI_Session_init(info, handler, session);

	if (rc == MPI_SUCCESS)
		__atomic_add_fetch(&sessions, 1, __ATOMIC_RELAXED);
	return rc;
}

static int virtual_MPI_Session_finalize(MPI_Session *session)
{
	int rc = below.to_MPI_Session_finalize(session);

	if (rc != MPI_SUCCESS ||
	    __atomic_sub_fetch(&sessions, 1, __ATOMIC_RELAXED))
		return rc;
	return end_ours();
}

static int virtual_MPI_Init_thread(int *argc, char ***argv, int required,
				   int *provided)
{
	if (!ours)
		return below.to_MPI_Init_thread(argc, argv, required, provided);
	asked = BEGUN;
	return PMPI_Query_thread(provided);
}

static int virtual_MPI_Init(int *argc, char ***argv)
{
	if (!ours)
		return below.to_MPI_Init(argc, argv);
	asked = BEGUN;
	return MPI_SUCCESS;
}

static int virtual_MPI_Finalize(void)
{
	if (!ours)
		return below.to_MPI_Finalize();
	asked = ENDED;
	return end_ours();
}

static int virtual_MPI_Initialized(int *flag)
{
	int rc = below.to_MPI_Initialized(flag);

	if (ours)
		*flag = asked != NOTHING;
	return rc;
}

static int virtual_MPI_Finalized(int *flag)
{
	int rc = below.to_MPI_Finalized(flag);

	if (ours)
		*flag = asked == ENDED;
	return rc;
}

static int is_world(const char *set)
{
	return !strcasecmp(set, "mpi://WORLD") && tape_partitions();
}

static int virtual_MPI_Group_from_session_pset(MPI_Session session,
					       const char *set,
					       MPI_Group *group)
{
	const struct tape_partitions *all = tape_partitions();
	int rc = below.to_MPI_Group_from_session_pset(session, set, group);
	MPI_Group job;

	if (rc != MPI_SUCCESS || !is_world(set))
		return rc;
	job = *group;
	rc = PMPI_Group_incl(job, all->my->size, all->my->ranks, group);
	PMPI_Group_free(&job);
	return rc;
}

static int virtual_MPI_Session_get_pset_info(MPI_Session session,
					     const char *set, MPI_Info *info)
{
	int rc = below.to_MPI_Session_get_pset_info(session, set, info);
	char text[16];

	if (rc != MPI_SUCCESS || !is_world(set))
		return rc;
	snprintf(text, sizeof text, "%d", tape_partitions()->my->size);
	return PMPI_Info_set(*info, "mpi_size", text);
}

void tape_virtual_sessions(void)
{
	below = tape_next;
#define INSTALL(name) tape_next.to_##name = virtual_##name
	INSTALL(MPI_Session_init);
	INSTALL(MPI_Session_finalize);
	INSTALL(MPI_Init);
	INSTALL(MPI_Init_thread);
	INSTALL(MPI_Finalize);
	INSTALL(MPI_Initialized);
	INSTALL(MPI_Finalized);
	INSTALL(MPI_Group_from_session_pset);
	INSTALL(MPI_Session_get_pset_info);
}

#else

int tape_virtual_begin(void)
{
	return 0;
}

void tape_virtual_sessions(void)
{
}

#endif
