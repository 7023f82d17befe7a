/* Memory without which no process can go on. */
#ifndef TAPECAL_REQUIRE_MEMORY_H
#define TAPECAL_REQUIRE_MEMORY_H

#include <mpi.h>

#include "error.h"
#include "tool.h"

/* Returns p. If p is NULL, reports the lack of memory and ends the job. */
static inline void *require_memory(void *p)
{
	if (!p) {
		tape_warn("%s", tape_error_text(TAPE_ENOMEM));
		MPI_Abort(MPI_COMM_WORLD, TAPE_FAILED);
	}
	return p;
}

#endif
