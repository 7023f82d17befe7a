/* Memory without which no process can go on. */
#ifndef TAPECAL_REQUIRE_MEMORY_H
#define TAPECAL_REQUIRE_MEMORY_H

#include <mpi.h>

#include "tool.h"

/* Returns p. If p is NULL, reports "out of memory" and ends the job. */
static inline void *require_memory(void *p)
{
	if (!p) {
		tape_warn("out of memory");
		MPI_Abort(MPI_COMM_WORLD, TAPE_FAILED);
	}
	return p;
}

#endif
