/* The tracer's world where the program has none; see world.h. */
#include "abi.h"
#include "core.h"
#include "yielding_wait.h"
#include "message.h"
#include "virtual.h"
#include "world.h"

MPI_Comm tape_world, tape_self;

static int use_program_world(void)
{
	if (tape_virtual_wanted() && tape_virtual_open())
		return -1;
	tape_world = tape_virtual_world;
	tape_self = MPI_COMM_SELF;
	return 0;
}

int tape_world_is_open(void)
{
	int was = 0, over = 0;

	PMPI_Initialized(&was);
	PMPI_Finalized(&over);
	return was && !over;
}

int tape_world_can_wait(void)
{
#ifdef OPEN_MPI
	return 1;
#else
	return tape_process.size > 1 || tape_world_is_open();
#endif
}

#ifdef TAPE_HAS_MPI_Session_init

static MPI_Session session = MPI_SESSION_NULL;

/* A library may be older than the mpi.h of this one. */
#pragma weak PMPI_Session_init
#pragma weak PMPI_Session_finalize
#pragma weak PMPI_Group_from_session_pset
#pragma weak PMPI_Comm_create_from_group

static int make_comm_of_set(const char *set, MPI_Comm *comm)
{
	MPI_Group group;
	int rc = PMPI_Group_from_session_pset(session, set, &group);

	if (rc != MPI_SUCCESS)
		return -1;
	rc = PMPI_Comm_create_from_group(group, "tape", MPI_INFO_NULL,
					 MPI_ERRORS_RETURN, comm);
	PMPI_Group_free(&group);
	return rc == MPI_SUCCESS ? 0 : -1;
}

/*
 * Did all begin alike? Each is in its first call now, and none can tell what
 * the others called: they meet in a communicator that does not need MPI_Init.
 */
static int all_alike(int mine)
{
	int both[2] = { -mine, mine }, rank, size = 0;
	MPI_Request r;

	PMPI_Comm_size(tape_world, &size);
	if (size == 1)
		return 1;
	if (tape_yielding_wait(PMPI_Iallreduce(MPI_IN_PLACE, both, 2, MPI_INT,
					       MPI_MAX, tape_world, &r),
			       &r) == MPI_SUCCESS &&
	    -both[0] == both[1])
		return 1;
	PMPI_Comm_rank(tape_world, &rank);
	if (!rank)
		tape_say("some ranks called MPI_Init first and others started "
			 "a session; this run is not traced");
	return 0;
}

int tape_world_open(void)
{
	int theirs = tape_world_is_open();

	if (!PMPI_Session_init)
		return use_program_world();
	if (tape_virtual_wanted())
		return !theirs && tape_virtual_begin() ? -1
						       : use_program_world();
	tape_world = tape_self = MPI_COMM_NULL;
	if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) !=
		MPI_SUCCESS ||
	    make_comm_of_set("mpi://WORLD", &tape_world)) {
		tape_say("the job has no communicator of all processes; this "
			 "run is not traced");
	} else if (all_alike(theirs)) {
		if (theirs) {
			tape_world_close();
			return use_program_world();
		}
		if (!make_comm_of_set("mpi://SELF", &tape_self))
			return 0;
	}
	tape_world_close();
	return -1;
}

void tape_world_close(void)
{
	if (session == MPI_SESSION_NULL)
		return;
	if (tape_world != MPI_COMM_NULL)
		PMPI_Comm_free(&tape_world);
	if (tape_self != MPI_COMM_NULL)
		PMPI_Comm_free(&tape_self);
	PMPI_Session_finalize(&session);
	session = MPI_SESSION_NULL;
}

#else

int tape_world_open(void)
{
	return use_program_world();
}

void tape_world_close(void)
{
}

#endif
