/*
 * A shared library, and two plug-ins that differ in nothing but a line and a
 * name (-DPLUG_IN=first, -DPLUG_IN=second): they take each other's place.
 */
#include "sites.h"

#define NAME_(x) x##_plug_in
#define NAME(x) NAME_(x)

#ifdef PLUG_IN
static __attribute__((noinline)) void NAME(PLUG_IN)(void)
{
	int size;
#ifdef LATER


#endif
	HERE(MPI_Type_size, (MPI_DOUBLE, &size));
}

void plug_in_calls(void)
{
	NAME(PLUG_IN)();
	HERE(MPI_Barrier, (MPI_COMM_SELF));
}
#else
int library_calls(void)
{
	int size;

	return HERE(MPI_Type_size, (MPI_CHAR, &size));
}
#endif
