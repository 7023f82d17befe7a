/*
 * The wrappers of calls: generated code around the hooks, with two entry points
 * each, MPI_NAME for linked and preloaded programs and tape_MPI_NAME for
 * sources that tapepp rerouted. Here are those that programs call often, and
 * the special ones; wrap_rare.c has the others, on which the compiler spends
 * less.
 */
#define TAPE_WRAPS_FREQUENT 1
#define TAPE_WRAPS_RARE 0
#include "hooks_all.h"
#include "level.h"
#include "onesided.h"
#include "special.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "tape_wrap.h"
#pragma GCC diagnostic pop

TAPE_EXPORT int MPI_Pcontrol(const int level, ...)
{
	tape_level(level);
	return TAPE_REAL(MPI_Pcontrol)(level);
}
