/* See options.h. */
#include <float.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "hostfile.h"
#include "options.h"
#include "program_options.h"
#include "tool.h"

/* Parses a number of at least 0. */
static double parse_not_negative(const char *text, const char *option)
{
	double v;

	if (tape_parse_real(text, 0, DBL_MAX, &v, NULL))
		tape_die(TAPE_USAGE, "--%s %s: not a number from 0 on", option,
			 text);
	return v;
}

/*
 * Parses a number above 0. The text must end after it, unless end is not NULL:
 * then *end is set to the rest.
 */
static double parse_positive(const char *text, const char *option,
			     const char **end)
{
	double v;

	if (tape_parse_real(text, DBL_TRUE_MIN, 1e30, &v, end))
		tape_die(TAPE_USAGE, "--%s %s: not a number above 0", option,
			 text);
	return v;
}

static long parse_integer(const char *text, const char *option, long least,
			  long most, const char **end)
{
	int64_t v;

	if (tape_parse_whole(text, least, most, &v, end))
		tape_die(TAPE_USAGE, "--%s %s: not a whole number from %ld to "
			 "%ld", option, text, least, most);
	return (long)v;
}

static enum sim_engine parse_engine(const char *name)
{
	if (!strcmp(name, "own"))
		return SIM_OWN;
	if (!strcmp(name, "simgrid"))
		return SIM_SIMGRID;
	tape_die(TAPE_USAGE, "--engine %s: expected own or simgrid", name);
}

static int set_machine_option(struct sim_options *o, int c, char *text)
{
	switch (c) {
	case OPTION_PLATFORM:
		o->platform = text;
		return 1;
	case OPTION_ENGINE:
		o->engine = parse_engine(text);
		return 1;
	case OPTION_RATE:
		o->rate = parse_positive(text, "rate", NULL);
		return 1;
	case OPTION_SPEED:
		o->speed = parse_positive(text, "speed", NULL);
		return 1;
	case OPTION_RANK_SPEED:
		o->rank_speed = text;
		return 1;
	case OPTION_LATENCY:
		o->latency = parse_not_negative(text, "latency");
		return 1;
	case OPTION_BANDWIDTH:
		o->bandwidth = parse_positive(text, "bandwidth", NULL);
		return 1;
	case OPTION_EAGER:
		o->eager_bytes =
		    parse_integer(text, "eager", 0, 1L << 60, NULL);
		return 1;
	case OPTION_COLLECTIVES:
		o->collectives = text;
		return 1;
	case OPTION_HOSTS:
		o->hosts = (int)parse_integer(text, "hosts", 1, 1000000, NULL);
		return 1;
	case OPTION_PER_HOST:
		o->ranks_per_host = (int)parse_integer(text, "ranks-per-host",
						       1, 1000000, NULL);
		return 1;
	case OPTION_MAP:
		o->map = text;
		return 1;
	case OPTION_HOSTFILE:
		o->hostfile = text;
		return 1;
	default:
		return 0;
	}
}

static void check_options(const struct sim_options *o)
{
	if (!!o->hosts + !!o->ranks_per_host + !!o->map + !!o->hostfile > 1)
		tape_die(TAPE_USAGE, "--hosts, --ranks-per-host, --map and "
				     "--hostfile exclude each other");
	if (o->platform && o->models.n)
		tape_die(TAPE_USAGE, "--platform and -m exclude each other: "
				     "both define message times");
	if (o->links && o->engine == SIM_SIMGRID)
		tape_die(TAPE_USAGE,
			 "-l is an option of the engine own: SimGrid shares "
			 "links as the platform defines");
	if (o->engine == SIM_SIMGRID && !o->platform)
		tape_die(TAPE_USAGE, "--engine simgrid needs --platform");
}

void sim_parse_options(int argc, char **argv, struct sim_options *o)
{
	int c;

	*o = (struct sim_options){ .eager_bytes = -1, .latency = -1 };
	while ((c = tape_option_next("tapesim", argc, argv)) != -1) {
		if (set_machine_option(o, c, optarg))
			continue;
		if (c == 'j')
			o->json = 1;
		else if (c == 'l')
			o->links = 1;
		else if (c == 'm')
			inputs_add_file(&o->models, optarg);
		else if (c == 'o')
			o->output = optarg;
		else if (c == 'p')
			o->no_packing = 1;
		else
			tape_option_refuse("tapesim", c);
	}
	if (optind != argc - 1)
		tape_option_usage("tapesim");
	o->input = argv[optind];
	check_options(o);
}

double *sim_parse_rank_speeds(const struct sim_options *o, size_t ranks)
{
	const char *text = o->rank_speed;
	double *speeds;
	const char *end;

	if (!text)
		return NULL;
	speeds = tape_must(malloc((ranks + 1) * sizeof *speeds));
	for (size_t i = 0; i < ranks; i++)
		speeds[i] = 1;
	do {
		long rank =
		    parse_integer(text, "rank-speed", 0, (long)ranks - 1, &end);

		if (*end != ':')
			tape_die(TAPE_USAGE, "--rank-speed %s: not a list "
				 "rank:factor,...", o->rank_speed);
		speeds[rank] = parse_positive(end + 1, "rank-speed", &end);
		text = end + 1;
	} while (*end == ',');
	if (*end)
		tape_die(TAPE_USAGE, "--rank-speed %s: not a list "
			 "rank:factor,...", o->rank_speed);
	return speeds;
}

static void read_map(const struct sim_options *o, int *host, size_t ranks)
{
	const char *text = o->map;
	size_t n = 0;
	const char *end;

	do {
		long h = parse_integer(text, "map", 0, 999999, &end);

		if (n < ranks)
			host[n] = (int)h;
		n++;
		text = end + 1;
	} while (*end == ',');
	if (*end)
		tape_die(TAPE_USAGE, "--map %s: not a list host,...", o->map);
	if (n != ranks)
		tape_die(TAPE_USAGE, "--map names %zu hosts for %zu ranks", n,
			 ranks);
}

int *sim_chosen_hosts(const struct sim_options *o, size_t ranks)
{
	int each = o->ranks_per_host;
	int *host;

	if (o->hostfile) {
		char **names = sim_hostfile_read(o->hostfile, ranks, NULL);

		host = sim_hostfile_numbers(names, ranks);
		sim_hostfile_free(names, ranks);
		return host;
	}
	if (!o->hosts && !each && !o->map)
		return NULL;
	host = tape_must(malloc((ranks + 1) * sizeof *host));
	if (o->map) {
		read_map(o, host, ranks);
		return host;
	}
	if (o->hosts)
		each = (int)((ranks + (size_t)o->hosts - 1) / (size_t)o->hosts);
	for (size_t i = 0; i < ranks; i++)
		host[i] = (int)i / each;
	return host;
}

char **sim_host_names(const struct sim_options *o, size_t ranks)
{
	return o->hostfile ? sim_hostfile_read(o->hostfile, ranks, NULL) : NULL;
}
