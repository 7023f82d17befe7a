/* The first process of an MPI job, which speaks for all. */
#ifndef TAPE_FIRST_OF_JOB_H
#define TAPE_FIRST_OF_JOB_H

#include <stdlib.h>
#include <string.h>

/*
 * 1 if this process has rank 0 of its job, as Open MPI's and MPICH's launchers
 * say in its environment, or if no launcher started it; else 0.
 */
static inline int tape_is_first_of_job(void)
{
	const char *openmpi = secure_getenv("OMPI_COMM_WORLD_RANK");
	const char *mpich = secure_getenv("PMI_RANK");

	return (!openmpi || !strcmp(openmpi, "0")) &&
	       (!mpich || !strcmp(mpich, "0"));
}

#endif
