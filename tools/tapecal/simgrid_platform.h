/* A platform file for SimGrid of what was measured. */
#ifndef TAPECAL_SIMGRID_PLATFORM_H
#define TAPECAL_SIMGRID_PLATFORM_H

#include <stdio.h>

#include "sweep.h"

struct simgrid {
	struct sweep *shm, *net; /* NULL: there is no such distance */
	struct idle_calls idle;
	int hosts, cores;        /* of a host */
	char library[100], host[100];
};

/* 0, or a TAPE_E code: there is nothing to write. */
int simgrid_write(const struct simgrid *g, FILE *out);

#endif
