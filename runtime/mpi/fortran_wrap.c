/*
 * The wrappers that Fortran programs call: generated functions around the
 * bodies that C has (hooks.h, special.h), whose seams lead here to real_NAME
 * (fortran.h) instead of PMPI_NAME.
 */
#define TAPE_FORTRAN 1
#define TAPE_REAL(name) real_##name
#define TAPE_WRAP_ENTRY(f) tape_fortran_now->entry
#define TAPE_WRAP_START(f) (void)(f)
#define TAPE_WRAP_STOP(f)                                                      \
	a.start = tape_fortran_now->start, a.end = tape_fortran_now->end

#include "fortran.h"
#include "hooks_all.h"

/* The same function by the names that other compilers or options make. */
#define FORTRAN_ALIAS(function, name)                                          \
	__asm__(".globl " name "\n\t.type " name ", @function\n\t"             \
		".set " name ", " #function);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "fortran_asking.h"
#include "onesided.h"
#include "special.h"
#include "tape.h"
#include "fortran_plain.h"
#include "tape_wrap_fortran.h"
#pragma GCC diagnostic pop

/* Level 0 switches tracing off, any other level on. */
static void pcontrol(void *level, int interface)
{
	struct fortran_call h = { .interface = interface };

	if (fortran_int(level))
		tape_on();
	else
		tape_off();
	if (fortran_find(NULL, &h, TAPE_CALL_MPI_Pcontrol, "mpi_pcontrol"))
		((void (*)(void *))h.real)(level);
}

TAPE_EXPORT void mpi_pcontrol_(void *level)
{
	pcontrol(level, 0);
}
FORTRAN_ALIAS(mpi_pcontrol_, "mpi_pcontrol")
FORTRAN_ALIAS(mpi_pcontrol_, "mpi_pcontrol__")
FORTRAN_ALIAS(mpi_pcontrol_, "MPI_PCONTROL")

TAPE_EXPORT void mpi_pcontrol_f08_(void *level)
{
	pcontrol(level, 1);
}

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

TAPE_ANNOUNCE(tape_mpi_at)
