/* The wrappers of rare calls for Fortran programs; see fortran_wrap.c. */
#define TAPE_WRAPS_FREQUENT 0
#define TAPE_WRAPS_RARE 1
#include "fortran_names.h"
#include "fortran.h"
#include "hooks_all.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "onesided.h"
#include "tape.h"
#include "tape_real_fortran.h"
#include "fortran_plain.h"
#include "tape_wrap_fortran.h"
#pragma GCC diagnostic pop

/* With baseptr of TYPE(C_PTR); the arguments are the same addresses. */
#define FORTRAN_CPTR(name, NAME)                                               \
	FORTRAN_ALIAS(name##_, #name "_cptr_")                                 \
	FORTRAN_ALIAS(name##_, #name "_cptr")                                  \
	FORTRAN_ALIAS(name##_, #name "_cptr__")                                \
	FORTRAN_ALIAS(name##_, #NAME "_CPTR")
FORTRAN_CPTR(mpi_alloc_mem, MPI_ALLOC_MEM)
FORTRAN_CPTR(mpi_win_allocate, MPI_WIN_ALLOCATE)
FORTRAN_CPTR(mpi_win_allocate_shared, MPI_WIN_ALLOCATE_SHARED)
FORTRAN_CPTR(mpi_win_shared_query, MPI_WIN_SHARED_QUERY)
