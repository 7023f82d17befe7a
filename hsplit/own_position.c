/* Where this process is; see own_position.h. */
#include "own_position.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "error.h"
#include "hardware.h"
#include "network.h"

/* What does not change: read once, by whichever thread comes first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int loaded;
static enum tape_fault fault;
static char fault_why[TAPE_WHY_MAX];
static struct tape_network *network;
static struct tape_hardware hardware;
static char host[MPI_MAX_PROCESSOR_NAME + 1];

static enum tape_fault load_network(void)
{
	const char *path = secure_getenv("TAPE_NETWORK");
	struct tape_network_fault f = {0};

	if (!path || !*path)
		return TAPE_FAULT_NONE;
	switch (tape_network_read(&network, path, &f)) {
	case 0:
		return TAPE_FAULT_NONE;
	case TAPE_ENOMEM:
		return TAPE_FAULT_MEMORY;
	case TAPE_EIO:
		snprintf(fault_why, sizeof fault_why, "cannot read %s: %s",
			 path, strerror(errno));
		break;
	default:
		if (f.line)
			snprintf(fault_why, sizeof fault_why, "%s:%u: %s", path,
				 f.line, f.what);
		else
			snprintf(fault_why, sizeof fault_why, "%s: %s", path,
				 f.what);
		break;
	}
	network = NULL;
	return TAPE_FAULT_PLACE;
}

static void load_host(void)
{
#ifdef SMPI_H /* in simulated time: the simulated host, nothing inside it */
	int n;

	MPI_Get_processor_name(host, &n);
#else
	gethostname(host, sizeof host - 1);
#endif
}

static enum tape_fault load_levels(void)
{
	enum tape_fault e = TAPE_FAULT_NONE;

	pthread_mutex_lock(&lock);
	if (!loaded) {
		load_host();
		fault = load_network();
#ifndef SMPI_H
		if (!fault && tape_hardware_load(&hardware))
			fault = TAPE_FAULT_MEMORY;
#endif
		loaded = 1;
	}
	e = fault;
	pthread_mutex_unlock(&lock);
	return e;
}

void tape_free_levels(void)
{
	pthread_mutex_lock(&lock);
	if (network)
		tape_network_free(network);
	network = NULL;
	tape_hardware_free(&hardware);
	loaded = 0;
	pthread_mutex_unlock(&lock);
}

enum tape_fault tape_find_own_position(char position[TAPE_POSITION_MAX],
				       char why[TAPE_WHY_MAX])
{
	enum tape_fault e = load_levels();

	why[0] = '\0';
	if (e == TAPE_FAULT_PLACE)
		memcpy(why, fault_why, TAPE_WHY_MAX);
	if (e) {
		snprintf(position, TAPE_POSITION_MAX, TAPE_LEVEL_CLUSTER);
		return e;
	}
	tape_network_position(network, host, position);
	if (tape_hardware_position(&hardware, position)) {
		snprintf(why, TAPE_WHY_MAX,
			 "TAPE_BINDING is not a list of processors: %s",
			 secure_getenv("TAPE_BINDING"));
		return TAPE_FAULT_PLACE;
	}
	return TAPE_FAULT_NONE;
}

/* Other names of a type: those of MPI 4.1, of hwloc and MPICH. */
static const struct {
	const char *other, *ours;
} names[] = {
    {"mpi_shared_memory", TAPE_LEVEL_MACHINE},
    {"Node", TAPE_LEVEL_MACHINE},
    {"NUMA", "NUMANode"},
    {"Socket", "Package"},
    {"CPU", "Package"},
    {"HWThread", "PU"},
    {"L1", "L1d"},
    {"L1Cache", "L1d"},
    {"L1dCache", "L1d"},
    {"L2Cache", "L2"},
    {"L3Cache", "L3"},
    {"L4Cache", "L4"},
    {"L5Cache", "L5"},
};

/* Is the end of position, below the machine, one processing unit? */
static int is_processing_unit(const char *position)
{
	size_t at = tape_position_find(position, TAPE_LEVEL_MACHINE);

	if (!at || position[at] != '/')
		return 0;
	for (int i = 0; i < hardware.n; i++)
		if (hardware.to[i] &&
		    strcmp(hardware.to[i], position + at + 1) == 0)
			return 1;
	return 0;
}

size_t tape_find_level_position(const char *position, const char *type,
				char name[TAPE_LEVEL_MAX])
{
	static const char scheme[] = "hwloc://";
	size_t found;

	if (strncasecmp(type, scheme, sizeof scheme - 1) == 0)
		type += sizeof scheme - 1;
	found = tape_position_find(position, type);
	for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
		if (strcasecmp(type, names[i].other) == 0)
			return tape_find_level_position(position, names[i].ours,
							name);
	tape_position_type(position, found, name);
	/* the machine's NUMA node has no step of its own (hardware.h) */
	if (!found && strcasecmp(type, "NUMANode") == 0 && hardware.is_node) {
		found = tape_position_find(position, TAPE_LEVEL_MACHINE);
		if (found)
			snprintf(name, TAPE_LEVEL_MAX, "NUMANode");
	}
	/* a core's only unit has no step of its own (hardware.h) */
	if (!found && strcasecmp(type, "PU") == 0 &&
	    is_processing_unit(position)) {
		snprintf(name, TAPE_LEVEL_MAX, "PU");
		found = strlen(position);
	}
	return found;
}
