/* The options of tapesim. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "inputs.h"

enum sim_engine { SIM_ANY, SIM_OWN, SIM_SIMGRID };

struct sim_options {
	const char *input, *output, *platform;
	enum sim_engine engine;
	struct model_files models;
	/* operations per second on the trace's machine; 0: not given */
	double rate;
	double speed, bandwidth; /* factors; 0: not given */
	double latency;		 /* factor; below 0: not given */
	const char *rank_speed; /* R:F,... */
	int64_t eager_bytes;	/* -1: not given */
	const char *collectives;
	int hosts, ranks_per_host; /* 0: not given */
	const char *map;        /* H,H,... */
	const char *hostfile;	/* path of the hostfile */
	int links, no_packing, json;
};

/* Parses the options. Dies if they are wrong or exclude each other. */
void sim_parse_options(int argc, char **argv, struct sim_options *o);

/* The speed factor of each rank, to be freed; NULL: not given. */
double *sim_parse_rank_speeds(const struct sim_options *o, size_t ranks);

/* The host of each rank by the options, to be freed; NULL: not given. */
int *sim_chosen_hosts(const struct sim_options *o, size_t ranks);

/*
 * The host names, to be freed (hostfile.h); NULL: the options give numbers
 * only.
 */
char **sim_host_names(const struct sim_options *o, size_t ranks);

#endif
