/* What tapesim was asked for. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "inputs.h"

enum sim_engine { SIM_ANY, SIM_OWN, SIM_SIMGRID };

struct sim_options {
	const char *input, *output, *platform;
	enum sim_engine engine;
	struct model_files models;
	double rate;            /* operations per second of the trace's machine,
				 * 0: not said */
	double speed, bandwidth; /* factors, 0: not said */
	double latency;         /* the same, below 0: not said */
	const char *rank_speed; /* R:F,... */
	int64_t eager_bytes;    /* -1: not said */
	const char *collectives;
	int hosts, ranks_per_host; /* 0: not said */
	const char *map;        /* H,H,... */
	const char *hostfile;	/* that file */
	int links, no_packing, json;
};

/* Dies where they are wrong, or go not together. */
void sim_parse_options(int argc, char **argv, struct sim_options *o);

/* The factor of each rank, NULL: none was said. */
double *sim_parse_rank_speeds(const struct sim_options *o, size_t ranks);

/* The host of each rank as was said; NULL: nothing was. */
int *sim_chosen_hosts(const struct sim_options *o, size_t ranks);

/* Their names, to be freed (hostfile.h); NULL: only their numbers were said. */
char **sim_host_names(const struct sim_options *o, size_t ranks);

#endif
