/*
 * In place of runtime/mpi/wrap.c and wrap_rare.c: the same hooks and the same
 * generated wrappers, of the calls that SimGrid's mpi.h declares.
 */
#define TAPE_WRAPS_FREQUENT 1
#define TAPE_WRAPS_RARE 1
#ifdef TAPE_RIG_HOOKS /* what a rig puts before some of them */
#include TAPE_RIG_HOOKS
#endif
#include "hooks_all.h"
#include "level.h"
#include "start_stop.h"
#include "onesided.h"
#include "frame.h"
#include "special.h"
#include "tape.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "tape_wrap.h"
#pragma GCC diagnostic pop

TAPE_EXPORT int MPI_Pcontrol(const int level, ...)
{
	tape_level(level);
	return TAPE_REAL(MPI_Pcontrol)(level);
}
