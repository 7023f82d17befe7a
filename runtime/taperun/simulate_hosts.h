/* Which hosts of a simulated machine get the ranks of taperun --simulate. */
#ifndef TAPE_SIMULATE_HOSTS_H
#define TAPE_SIMULATE_HOSTS_H

#include <stddef.h>

struct tape_simulate_hosts {
	const char *platform; /* file of SimGrid's */
	const char *hostfile; /* or NULL: all of its hosts, by their names */
	char *const *options; /* "--cfg=..." that SimGrid gets with it */
	int n_options;
	int ranks;
	int round_robin; /* or there must be a host for each rank */
	/* receives the speed of the first host that is used, flop/s */
	char speed[40];
};

/*
 * Writes the host of each rank, one a line, to a file of taperun's own
 * (simulate_tools.h). Returns its name, valid until exit. On failure prints a
 * message and exits.
 */
const char *tape_simulate_hosts(struct tape_simulate_hosts *h);

#endif
