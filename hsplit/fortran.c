/*
 * What the Fortran module (tape_hsplit.f90) calls: handles are integers, types
 * are padded with blanks, and the result is the error code.
 */
#include <stdlib.h>
#include <string.h>

#include "tape_hsplit.h"

static void put_type(char *to, int length, const char *type)
{
	size_t n = strlen(type), room = (size_t)length;

	memset(to, ' ', room);
	memcpy(to, type, n < room ? n : room);
}

/* Addresses that stand for something, if the library has them. */
#ifdef OPEN_MPI
extern MPI_Fint mpi_fortran_bottom_ __attribute__((weak));
extern MPI_Fint mpi_fortran_in_place_ __attribute__((weak));
#define IS_BOTTOM(p) ((p) == &mpi_fortran_bottom_)
#define IS_IN_PLACE(p) ((p) == &mpi_fortran_in_place_)
#else
/* a common block, of use mpi and mpif.h, and objects of mpi_f08 */
extern MPI_Fint mpipriv1_[] __attribute__((weak));
#pragma weak MPIR_F08_MPI_IN_PLACE
#pragma weak MPIR_F08_MPI_BOTTOM
#define IS_BOTTOM(p) ((p) == &mpipriv1_[0] || (p) == &MPIR_F08_MPI_BOTTOM)
#define IS_IN_PLACE(p) ((p) == &mpipriv1_[1] || (p) == &MPIR_F08_MPI_IN_PLACE)
#endif

static void *buffer_of(void *p)
{
	if (p && IS_IN_PLACE((MPI_Fint *)p))
		return MPI_IN_PLACE;
	if (p && IS_BOTTOM((MPI_Fint *)p))
		return MPI_BOTTOM;
	return p;
}

#pragma GCC visibility push(default)

int tape_hierarchy_create_f(MPI_Fint comm, MPI_Fint info, tape_hierarchy *h);
int tape_hierarchy_free_f(tape_hierarchy *h);
int tape_hbcast_f(void *buffer, MPI_Fint count, MPI_Fint type, MPI_Fint root,
		  tape_hierarchy h);
int tape_hreduce_f(void *sendbuf, void *recvbuf, MPI_Fint count, MPI_Fint type,
		   MPI_Fint op, MPI_Fint root, tape_hierarchy h);
int tape_hallreduce_f(void *sendbuf, void *recvbuf, MPI_Fint count,
		      MPI_Fint type, MPI_Fint op, tape_hierarchy h);
int tape_hbarrier_f(tape_hierarchy h);
int tape_hsplit_f(MPI_Fint comm, MPI_Fint info, MPI_Fint *newcomm);
int tape_hsplit_with_roots_f(MPI_Fint comm, MPI_Fint info, MPI_Fint *newcomm,
			     MPI_Fint *rootscomm);
int tape_hsplit_all_f(MPI_Fint comm, MPI_Fint info, MPI_Fint most,
		      MPI_Fint *newcomms, MPI_Fint *rootscomms,
		      MPI_Fint *levels);
int tape_get_hlevel_info_f(MPI_Fint comm, MPI_Fint *num_comms, MPI_Fint *index,
			   char *type, MPI_Fint length);
int tape_get_min_hlevel_f(MPI_Fint comm, MPI_Fint nranks, const MPI_Fint *ranks,
			  char *type, MPI_Fint length);

int tape_hsplit_f(MPI_Fint comm, MPI_Fint info, MPI_Fint *newcomm)
{
	MPI_Comm new = MPI_COMM_NULL;
	int rc = tape_hsplit(MPI_Comm_f2c(comm), MPI_Info_f2c(info), &new);

	*newcomm = MPI_Comm_c2f(new);
	return rc;
}

int tape_hsplit_with_roots_f(MPI_Fint comm, MPI_Fint info, MPI_Fint *newcomm,
			     MPI_Fint *rootscomm)
{
	MPI_Comm new = MPI_COMM_NULL, roots = MPI_COMM_NULL;
	int rc = tape_hsplit_with_roots(MPI_Comm_f2c(comm), MPI_Info_f2c(info),
					&new, &roots);

	*newcomm = MPI_Comm_c2f(new);
	*rootscomm = MPI_Comm_c2f(roots);
	return rc;
}

/* rootscomms may be NULL. */
int tape_hsplit_all_f(MPI_Fint comm, MPI_Fint info, MPI_Fint most,
		      MPI_Fint *newcomms, MPI_Fint *rootscomms,
		      MPI_Fint *levels)
{
	MPI_Comm *new = calloc(most > 0 ? (size_t)most : 1, 2 * sizeof *new);
	MPI_Comm *roots = new &&rootscomms ? new + most : NULL;
	int n = 0, rc;

	/* without memory NULL is handed on: an error on all processes */
	rc = tape_hsplit_all(MPI_Comm_f2c(comm), MPI_Info_f2c(info), most, new,
			     roots, &n);
	for (int i = 0; i < n; i++) {
		newcomms[i] = MPI_Comm_c2f(new[i]);
		if (roots)
			rootscomms[i] = MPI_Comm_c2f(roots[i]);
	}
	*levels = n;
	free(new);
	return rc;
}

int tape_get_hlevel_info_f(MPI_Fint comm, MPI_Fint *num_comms, MPI_Fint *index,
			   char *type, MPI_Fint length)
{
	const char *text = "";
	int rc =
	    tape_get_hlevel_info(MPI_Comm_f2c(comm), num_comms, index, &text);

	put_type(type, length, text);
	return rc;
}

int tape_get_min_hlevel_f(MPI_Fint comm, MPI_Fint nranks, const MPI_Fint *ranks,
			  char *type, MPI_Fint length)
{
	const char *text = "";
	int rc = tape_get_min_hlevel(MPI_Comm_f2c(comm), nranks, ranks, &text);

	put_type(type, length, text);
	return rc;
}

int tape_hierarchy_create_f(MPI_Fint comm, MPI_Fint info, tape_hierarchy *h)
{
	return tape_hierarchy_create(MPI_Comm_f2c(comm), MPI_Info_f2c(info), h);
}

int tape_hierarchy_free_f(tape_hierarchy *h)
{
	return tape_hierarchy_free(h);
}

int tape_hbcast_f(void *buffer, MPI_Fint count, MPI_Fint type, MPI_Fint root,
		  tape_hierarchy h)
{
	return tape_hbcast(buffer_of(buffer), count, MPI_Type_f2c(type), root,
			   h);
}

int tape_hreduce_f(void *sendbuf, void *recvbuf, MPI_Fint count, MPI_Fint type,
		   MPI_Fint op, MPI_Fint root, tape_hierarchy h)
{
	return tape_hreduce(buffer_of(sendbuf), buffer_of(recvbuf), count,
			    MPI_Type_f2c(type), MPI_Op_f2c(op), root, h);
}

int tape_hallreduce_f(void *sendbuf, void *recvbuf, MPI_Fint count,
		      MPI_Fint type, MPI_Fint op, tape_hierarchy h)
{
	return tape_hallreduce(buffer_of(sendbuf), buffer_of(recvbuf), count,
			       MPI_Type_f2c(type), MPI_Op_f2c(op), h);
}

int tape_hbarrier_f(tape_hierarchy h)
{
	return tape_hbarrier(h);
}

#pragma GCC visibility pop
