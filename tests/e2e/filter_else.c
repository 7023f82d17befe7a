/* The part of filter.c that is in a file, or in a library, of its own. */
#include <mpi.h>

void elsewhere(void);

void elsewhere(void)
{
	for (int i = 0; i < 4; i++)
		MPI_Barrier(MPI_COMM_WORLD);
}
