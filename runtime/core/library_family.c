/* Families of message-passing libraries, by names; see library_family.h. */
#include <stdlib.h>
#include <string.h>

#include "library_family.h"

static int begins_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/*
 * The family of MPICH calls its library libmpi.so.12 (they agreed upon it),
 * Debian libmpich.so.12; Open MPI's is libmpi.so.20, libmpi.so.40 and so on.
 */
enum tape_family tape_family_of_library(const char *name)
{
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	if (begins_with(base, "libmpich") ||
	    begins_with(base, "libmpifort.so.12") ||
	    begins_with(base, "libmpicxx.so.12") ||
	    begins_with(base, "libmpi.so.12") ||
	    begins_with(base, "libtape-mpich.so"))
		return TAPE_FAMILY_MPICH;
	if (begins_with(base, "libmpi.so") ||
	    begins_with(base, "libmpi_mpifh") ||
	    begins_with(base, "libmpi_usempi") ||
	    begins_with(base, "libmpi_cxx") ||
	    begins_with(base, "libtape-mpi.so"))
		return TAPE_FAMILY_OPENMPI;
	if (begins_with(base, "libpvm3.so") ||
	    begins_with(base, "libgpvm3.so") ||
	    begins_with(base, "libtape-pvm.so"))
		return TAPE_FAMILY_PVM;
	return TAPE_FAMILY_NONE;
}

enum tape_family tape_family_of_environment(void)
{
	unsigned found = TAPE_FAMILY_NONE;

	if (secure_getenv("OMPI_COMM_WORLD_SIZE"))
		found |= TAPE_FAMILY_OPENMPI;
	/* Slurm sets PMI_RANK for whatever it starts */
	if (secure_getenv("HYDI_CONTROL_FD") ||
	    (secure_getenv("PMI_RANK") && !secure_getenv("SLURM_PROCID")))
		found |= TAPE_FAMILY_MPICH;
	/* one within the other: which is the inner one nobody knows */
	return found == TAPE_FAMILY_BOTH ? TAPE_FAMILY_NONE
					 : (enum tape_family)found;
}

const char *tape_family_name(enum tape_family family)
{
	return family == TAPE_FAMILY_PVM     ? "PVM"
	       : family == TAPE_FAMILY_MPICH ? "MPICH"
					     : "Open MPI";
}

const char *tape_family_tracer(enum tape_family family)
{
	return family == TAPE_FAMILY_PVM     ? "libtape-pvm.so"
	       : family == TAPE_FAMILY_MPICH ? "libtape-mpich.so"
					     : "libtape-mpi.so";
}
