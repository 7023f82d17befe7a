/* See peers.h. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distances.h"
#include "error.h"
#include "hardware.h"
#include "network.h"
#include "peers.h"
#include "require_memory.h"
#include "tool.h"

/* The position of a process. */
struct place {
	char host[32]; /* the least rank of its host */
	char position[TAPE_POSITION_MAX];
};

static void abort_job(void)
{
	MPI_Abort(MPI_COMM_WORLD, TAPE_FAILED);
}

/* Adds the switches above this host. */
static void find_switches(char position[TAPE_POSITION_MAX])
{
	const char *path = getenv("TAPE_NETWORK");
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
	struct tape_network_fault fault = {0};
	struct tape_network *network = NULL;
	int n, rc = 0;

	MPI_Get_processor_name(name, &n);
	if (path && *path)
		rc = tape_network_read(&network, path, &fault);
	if (rc) {
		if (rc == TAPE_EFORMAT)
			tape_warn("%s:%u: %s", path, fault.line, fault.what);
		else
			tape_warn("cannot read %s: %s", path,
				  rc == TAPE_ENOMEM ? tape_error_text(rc)
						    : strerror(errno));
		abort_job();
	}
	tape_network_position(network, name, position);
	if (network)
		tape_network_free(network);
}

/* Adds the processors it may run on; nothing in simulated time. */
static void find_binding(char position[TAPE_POSITION_MAX])
{
#ifndef SMPI_H
	struct tape_hardware h;

	if (tape_hardware_load(&h))
		require_memory(NULL);
	if (tape_hardware_position(&h, position)) {
		tape_warn("TAPE_BINDING is not a list of processors: %s",
			  getenv("TAPE_BINDING"));
		abort_job();
	}
	tape_hardware_free(&h);
#else
	(void)position;
#endif
}

static void own_describe_action(struct place *p)
{
	int rank, least;
	MPI_Comm near;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
			    MPI_INFO_NULL, &near);
	least = rank;
	MPI_Bcast(&least, 1, MPI_INT, 0, near);
	MPI_Comm_free(&near);
	memset(p, 0, sizeof *p);
	snprintf(p->host, sizeof p->host, "%d", least);
	find_switches(p->position);
	find_binding(p->position);
}

static int lower_rank(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Chooses the peers in process 0, which has all positions. */
static void choose_peers(struct peers *x, const struct place *place, int size)
{
	const char **text =
	    require_memory(calloc(2 * (size_t)size, sizeof *text));
	struct tape_distances far;

	for (int r = 0; r < size; r++) {
		text[r] = place[r].host;
		text[size + r] = place[r].position;
		x->hosts += atoi(place[r].host) == r;
	}
	if (tape_distances_of(&far, (size_t)size, text, text + size))
		require_memory(NULL);
	for (int r = size - 1; r >= 0; r--)
		x->at[tape_distance_between(&far, 0, r)] = r;
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		if (tape_transport((enum tape_distance)d) == TAPE_SHM)
			x->shm = lower_rank(x->shm, x->at[d]);
		if (tape_transport((enum tape_distance)d) == TAPE_NET)
			x->net = lower_rank(x->net, x->at[d]);
	}
	tape_distances_free(&far);
	free(text);
}

void peers_find(struct peers *x)
{
	struct place own, *all = NULL;
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	own_describe_action(&own);
	if (!rank)
		all = require_memory(malloc((size_t)size * sizeof *all));
	MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0,
		   MPI_COMM_WORLD);
	*x = (struct peers){.shm = -1, .net = -1};
	for (int d = 0; d < TAPE_DISTANCES; d++)
		x->at[d] = -1;
	if (!rank)
		choose_peers(x, all, size);
	free(all);
	MPI_Bcast(x, sizeof *x, MPI_BYTE, 0, MPI_COMM_WORLD);
}
