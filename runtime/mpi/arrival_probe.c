/* Error handlers, as asking has to know them; see arrival_probe.h. */
#include "arrival_probe.h"
#include "virtual.h"
#include "world.h"

#ifndef TAPE_RIG_ASKS_AHEAD

uint32_t tape_handlers_set = 1;

#ifdef OPEN_MPI
/* Is no function of the program's told which call failed? */
static int handles_alike(MPI_Comm comm)
{
	MPI_Errhandler h = MPI_ERRORS_RETURN;

	PMPI_Comm_get_errhandler(comm, &h);
	if (h == MPI_ERRORS_ARE_FATAL || h == MPI_ERRORS_RETURN)
		return 1;
	PMPI_Errhandler_free(&h);
	return 0;
}
#else
/* Has it the handler that all communicators begin with? */
static int is_default(MPI_Comm comm)
{
	MPI_Errhandler h = MPI_ERRORS_RETURN;

	PMPI_Comm_get_errhandler(comm, &h);
	h = tape_virtual_seen(h);
	if (!tape_predefined((uint32_t)h)) {
		PMPI_Errhandler_free(&h);
		return 0;
	}
	return h == MPI_ERRORS_ARE_FATAL;
}

static int handles_alike(MPI_Comm comm)
{
	return tape_world_is_open() && is_default(MPI_COMM_WORLD) &&
	       is_default(comm);
}
#endif

int tape_handlers_check(const struct tape_comm_cache *c)
{
	uint32_t now = __atomic_load_n(&tape_handlers_set, __ATOMIC_RELAXED);
	int alike = handles_alike((MPI_Comm)c->handle);

	/* a place in the flow's own cache, as tape_comm_known gave it */
	((struct tape_comm_cache *)c)->handlers = now << 1 | (uint32_t)alike;
	return alike;
}

#endif
