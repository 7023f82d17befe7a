/*
 * The wrappers that Fortran programs call often, and the special ones:
 * generated functions around the bodies that C has. Those of rare calls are in
 * fortran_rare.c.
 */
#define TAPE_WRAPS_FREQUENT 1
#define TAPE_WRAPS_RARE 0
#include "fortran_names.h"
#include "fortran.h"
#include "hooks_all.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "fortran_arrival_probe.h"
#include "level.h"
#include "onesided.h"
#include "special.h"
#include "tape_wrap_fortran.h"
#pragma GCC diagnostic pop

static void call_pcontrol(void *level, int interface)
{
	struct fortran_call h = { .interface = interface };

	tape_level(fortran_int(level));
	if (fortran_find(NULL, &h, TAPE_CALL_MPI_Pcontrol, "mpi_pcontrol"))
		((void (*)(void *))h.real)(level);
}

TAPE_EXPORT void mpi_pcontrol_(void *level)
{
	call_pcontrol(level, 0);
}
FORTRAN_ALIAS(mpi_pcontrol_, "mpi_pcontrol")
FORTRAN_ALIAS(mpi_pcontrol_, "mpi_pcontrol__")
FORTRAN_ALIAS(mpi_pcontrol_, "MPI_PCONTROL")

TAPE_EXPORT void mpi_pcontrol_f08_(void *level)
{
	call_pcontrol(level, 1);
}

TAPE_ANNOUNCE(tape_mpi_at)
