/*
 * In place of runtime/mpi/fortran_wrap.c and fortran_rare.c. SMPI has the
 * functions of mpif.h and of the module mpi; of mpi_f08 it has none.
 */
#define TAPE_WRAPS_FREQUENT 1
#define TAPE_WRAPS_RARE 1
#include "fortran_names.h"
#include "fortran.h"
#include "hooks_all.h"
#include "onesided.h"
#include "frame.h"
#define tape_fortran_enter(h, c, call, name, address, frame)                   \
	(tape_smpi_arrive(), tape_smpi_call = (call),                          \
	 tape_fortran_enter(h, c, call, name, address, frame))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "fortran_arrival_probe.h"
#include "level.h"
#include "special.h"
#include "tape.h"
#include "fortran_plain.h"
#include "tape_wrap_fortran.h"
#pragma GCC diagnostic pop

TAPE_ANNOUNCE(tape_mpi_at)

TAPE_EXPORT void mpi_pcontrol_(void *level)
{
	tape_level(fortran_int(level));
	PMPI_Pcontrol(fortran_int(level));
}
