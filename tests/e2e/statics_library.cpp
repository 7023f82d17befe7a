/* The library of statics.cpp: calls of MPI in constructors that run before
 * those of preloaded libraries, and in destructors that run after theirs. */
#include <mpi.h>
#include <cstdio>

#include "statics.h"

static int begun, ended;

void statics_state(const char *where, int flag)
{
	std::printf("%s: %d\n", where, flag);
}

void statics_begin()
{
	MPI_Init(nullptr, nullptr);
	begun = 1;
}

void statics_end()
{
	ended = 1;
	MPI_Finalize();
}

void statics_exchange(const char *where)
{
	int rank, size, got = -1;

	if (!begun || ended)
		return;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT,
		     (rank + size - 1) % size, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	std::printf("%s: rank %d got %d\n", where, rank, got);
}

namespace {

struct Library {
	Library()
	{
		int flag = 1;

		MPI_Initialized(&flag);
		statics_state("the library begins", flag);
		if (BEGIN == 3)
			statics_begin();
		statics_exchange("the library begins");
	}
	~Library()
	{
		statics_exchange("the library ends");
		if (END == 3)
			statics_end();
		std::fflush(stdout);
	}
} library;

}
