/*
 * A platform file of SimGrid, as far as our own engine understands it: one
 * cluster, whose hosts are all alike, or one host with a route to itself; and
 * SMPI's settings.
 *
 *	struct sim_platform p;
 *
 *	sim_platform_read("cluster.xml", &p);
 *	sim_net_set(&net, &p.smpi, NULL);
 *
 * A struct of its owner's, with nothing to free.
 */
#ifndef SIM_PLATFORM_H
#define SIM_PLATFORM_H

#include "net.h"

struct sim_platform {
	struct sim_smpi smpi;
	double speed;           /* operations per second of a processor */
	int hosts;
	int cores;              /* of each */
	double links;           /* messages at full rate that a host's link
				 * carries; 0: any number (FATPIPE) */
};

/*
 * Reads it. A message within a host has the loopback, one between two hosts
 * both hosts' links and, if there is one, the backbone (SimGrid 3.32,
 * ClusterZone). Dies with one sentence, which names file and line, where there
 * is none, something in it is wrong, or it is more than that: then SimGrid has
 * to read it.
 */
void sim_platform_read(const char *path, struct sim_platform *p);

#endif
