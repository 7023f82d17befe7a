/* A platform file for SimGrid from measured times. */
#ifndef TAPECAL_SIMGRID_PLATFORM_H
#define TAPECAL_SIMGRID_PLATFORM_H

#include <stdio.h>

#include "sweep.h"

struct simgrid {
	struct sweep *shm, *net; /* NULL: no such distance */
	struct idle_calls idle;
	int hosts, cores;        /* of a host */
	char library[100], host[100];
};

/* Returns 0, or a TAPE_E code if nothing was written. */
int simgrid_write(const struct simgrid *g, FILE *out);

#endif
