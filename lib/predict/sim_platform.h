/*
 * Reads a platform file of SimGrid, as far as Tape's own engine understands it:
 * one cluster of equal hosts, or one host with a route to itself, and SMPI's
 * settings.
 *
 *	struct sim_platform p;
 *
 *	sim_platform_read("cluster.xml", &p);
 *	sim_net_set(&net, &p.smpi, NULL);
 *
 * struct sim_platform has nothing to free.
 */
#ifndef SIM_PLATFORM_H
#define SIM_PLATFORM_H

#include "net.h"

struct sim_platform {
	struct sim_smpi smpi;
	double speed;           /* operations per second of a processor */
	int hosts;
	int cores; /* of each host */
	/*
	 * messages at full rate that a host's link carries; 0: no limit
	 * (FATPIPE)
	 */
	double links;
};

/*
 * Reads the file at path. A message within a host uses the loopback. A message
 * between two hosts uses both hosts' links and the backbone, if there is one
 * (SimGrid 3.32, ClusterZone). Dies with an error message with file and line if
 * the file cannot be read, is wrong, or describes more than that: then only
 * SimGrid can read it.
 */
void sim_platform_read(const char *path, struct sim_platform *p);

#endif
