/*
 * MPI before main and after it. -DBEGIN and -DEND say where MPI_Init and
 * MPI_Finalize are called:
 *
 *	1 in main
 *	2 in the constructor, in the destructor of a static object
 *	3 in those of a library (statics_library.cpp), which the loader starts
 *	  before Tape's library and stops after it
 *	4 (END) in a function for atexit
 *	5 (END) nowhere
 *
 * Prints what it received.
 */
#include <mpi.h>
#include <cstdlib>

#include "statics.h"

namespace {

struct Early {
	Early()
	{
		int flag = 1;

		MPI_Initialized(&flag);
		statics_state("a static object begins", flag);
		if (BEGIN == 2)
			statics_begin();
	}
	~Early()
	{
		int flag = 1;

		if (END >= 3)
			statics_exchange("the static object ends");
		if (END == 2) {
			statics_exchange("the static object ends");
			statics_end();
		}
		MPI_Finalized(&flag);
		statics_state("the static object has ended", flag);
	}
} early;

void at_exit()
{
	statics_exchange("a function for atexit");
	if (END == 4)
		statics_end();
}

}

int main()
{
	statics_exchange("before MPI_Init, if that is in main");
	if (BEGIN == 1)
		statics_begin();
	std::atexit(at_exit);
	for (int i = 0; i < 10; i++)
		statics_exchange("main");
	if (END == 1)
		statics_end();
	return 0;
}
