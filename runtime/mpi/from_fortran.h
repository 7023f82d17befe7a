/*
 * Wrappers of C that programs in Fortran come to, through functions of the
 * library's.
 */
#ifndef TAPE_FROM_FORTRAN_H
#define TAPE_FROM_FORTRAN_H

#include <mpi.h>

#include "fortran_site.h"

/*
 * Does the library's function for Fortran call this one, on behalf of a call
 * that has its own wrapper? Asked once, where nothing is recorded.
 */
#ifdef OPEN_MPI
static inline int tape_from_fortran(void)
{
	return 0; /* it calls PMPI_NAME */
}

#define TAPE_C_SITE(call, address) (address)
#else
/* that of a call through mpi_f08, whose buffers come in descriptors, is ours */
#define TAPE_C_SITE(call, address) tape_announced_or(call, address)
extern __thread int tape_fortran_inside
	__attribute__((visibility("hidden"), tls_model("initial-exec")));
static inline int tape_from_fortran(void)
{
	int inside = tape_fortran_inside;

	tape_fortran_inside = 0;
	return inside;
}
#endif

#endif
