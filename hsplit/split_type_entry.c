/*
 * The entry point: with TAPE_SPLIT_TYPE=1, MPI_Comm_split_type of
 * TAPE_COMM_TYPE_HW is tape_hsplit, with the caller's key. Everything else goes
 * on to the next library with that name: the MPI library, or Tape's tracer,
 * which may as well be loaded before. Not in simulated time, where there is no
 * next library.
 *
 * A process may call with MPI_UNDEFINED, which does not tell what the others
 * want: so, if TAPE_SPLIT_TYPE is 1, all processes first exchange their
 * arguments.
 */
#include <mpi.h>

#ifndef SMPI_H
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "split.h"
#include "tape_hsplit.h"

static int is_mpi_open(void)
{
	const char *v = secure_getenv("TAPE_SPLIT_TYPE");

	return v && strcmp(v, "1") == 0;
}

/* What of the kinds of split_type there is among the processes. */
struct kinds {
	int hardware, undefined, other;
};

/* Is this call a split by hardware? */
static int is_hardware_split(MPI_Comm comm, int split_type, struct kinds *all)
{
	struct kinds mine = {split_type == TAPE_COMM_TYPE_HW,
			     split_type == MPI_UNDEFINED, 0};
	int inter = 1;

	if (!is_mpi_open())
		return 0;
	if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) ||
	    inter) {
		*all = mine;
		return mine.hardware; /* an error that is not MPI's */
	}
	mine.other = !mine.hardware && !mine.undefined;
	return PMPI_Allreduce(&mine, all, 3, MPI_INT, MPI_MAX, comm) ==
		   MPI_SUCCESS &&
	       all->hardware;
}

/* The split; those that called with MPI_UNDEFINED are left out first. */
static int split_by_hardware(MPI_Comm comm, int split_type, int key,
			     MPI_Info info, MPI_Comm *newcomm,
			     const struct kinds *all)
{
	MPI_Comm part;
	int rc, rank;

	if (all->other)
		return tape_fault_raise(comm, TAPE_FAULT_ARGUMENT);
	if (!all->undefined)
		return tape_split(comm, key, info, 0, newcomm, NULL);
	rc = MPI_Comm_rank(comm, &rank);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_split(
		    comm, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : 0, rank,
		    &part);
	if (rc)
		return rc;
	if (part == MPI_COMM_NULL) {
		*newcomm = MPI_COMM_NULL;
		return MPI_SUCCESS;
	}
	rc = tape_split(part, key, info, 0, newcomm, NULL);
	MPI_Comm_free(&part);
	return rc;
}

#pragma GCC visibility push(default)

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
			MPI_Comm *newcomm)
{
	int (*next)(MPI_Comm, int, int, MPI_Info, MPI_Comm *);
	struct kinds all;

	if (is_hardware_split(comm, split_type, &all))
		return split_by_hardware(comm, split_type, key, info, newcomm,
					 &all);
	*(void **)&next = dlsym(RTLD_NEXT, "MPI_Comm_split_type");
	return (next ? next : PMPI_Comm_split_type)(comm, split_type, key, info,
						    newcomm);
}

/*
 * Fortran's: mpif.h and use mpi by any of the names that compilers give it, and
 * use mpi_f08, whose handles are structures of one integer. The library's own
 * call the library's function of C past us.
 */
typedef void fortran_split_type(MPI_Fint *comm, MPI_Fint *split_type,
				MPI_Fint *key, MPI_Fint *info,
				MPI_Fint *newcomm, MPI_Fint *ierror);

static void from_fortran(const char *name, MPI_Fint *comm, MPI_Fint *split_type,
			 MPI_Fint *key, MPI_Fint *info, MPI_Fint *newcomm,
			 MPI_Fint *ierror)
{
	MPI_Comm c = MPI_Comm_f2c(*comm), new = MPI_COMM_NULL;
	fortran_split_type *next;
	struct kinds all;
	int rc;

	if (is_hardware_split(c, *split_type, &all)) {
		rc = split_by_hardware(c, *split_type, *key,
				       MPI_Info_f2c(*info), &new, &all);
	} else {
		*(void **)&next = dlsym(RTLD_NEXT, name);
		if (next) {
			next(comm, split_type, key, info, newcomm, ierror);
			return;
		}
		rc = PMPI_Comm_split_type(c, *split_type, *key,
					  MPI_Info_f2c(*info), &new);
	}
	*newcomm = MPI_Comm_c2f(new);
	if (ierror)
		*ierror = rc;
}

#define ENTRY(name)                                                            \
	void name(MPI_Fint *comm, MPI_Fint *split_type, MPI_Fint *key,         \
		  MPI_Fint *info, MPI_Fint *newcomm, MPI_Fint *ierror);        \
	void name(MPI_Fint *comm, MPI_Fint *split_type, MPI_Fint *key,         \
		  MPI_Fint *info, MPI_Fint *newcomm, MPI_Fint *ierror)         \
	{                                                                      \
		from_fortran(#name, comm, split_type, key, info, newcomm,      \
			     ierror);                                          \
	}

ENTRY(mpi_comm_split_type)
ENTRY(mpi_comm_split_type_)
ENTRY(mpi_comm_split_type__)
ENTRY(MPI_COMM_SPLIT_TYPE)
ENTRY(mpi_comm_split_type_f08_)

#pragma GCC visibility pop
#else
typedef int tape_no_entry; /* a source has something in it */
#endif
