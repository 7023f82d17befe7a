/* See target.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "hostfile.h"
#include "target.h"
#include "tool.h"

/* Default size of the largest eager message. */
#define EAGER_DEFAULT 4096

/* ---- hosts ---- */

/* Numbers the hosts of the trace in the order of their first ranks. */
static int *trace_hosts(const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);
	int *host = tape_must(malloc((n + 1) * sizeof *host));
	int next = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = tape_trace_rank(t, (int)i)->host;
		size_t k = i;

		/* neighbouring ranks are usually on one host */
		while (name && k--) {
			const char *other = tape_trace_rank(t, (int)k)->host;

			if (other && !strcmp(name, other))
				break;
		}
		host[i] = name && k < i ? host[k] : next++;
	}
	return host;
}

/* Reads the distances between ranks from the hostfile. */
static void read_distances(struct target *g, const char *hostfile, size_t ranks)
{
	char **where, **names = sim_hostfile_read(hostfile, ranks, &where);

	if (tape_distances_of(&g->distances, ranks, (const char *const *)names,
			      (const char *const *)where))
		tape_die_no_memory();
	g->machine.distances = &g->distances;
	sim_hostfile_free(names, ranks);
	sim_hostfile_free(where, ranks);
}

static void set_hosts(struct target *g, const struct sim_options *o,
		      const struct tape_trace *t, size_t ranks)
{
	g->host = sim_chosen_hosts(o, ranks);
	if (!g->host && t && !o->platform) {
		g->host = trace_hosts(t);
		tape_distances_trace(&g->distances, t);
		g->machine.distances = &g->distances;
	} else if (o->hostfile && !o->platform) {
		read_distances(g, o->hostfile, ranks);
	}
	g->hosts = 0;
	for (size_t i = 0; i < ranks; i++) {
		int h = g->host ? g->host[i] : (int)i;

		g->hosts = h >= g->hosts ? h + 1 : g->hosts;
	}
	g->machine.host = g->host;
}

/* ---- a platform ---- */

static void use_platform(struct target *g, const struct sim_options *o)
{
	struct sim_smpi *s = &g->platform.smpi;

	sim_platform_read(o->platform, &g->platform);
	if (g->hosts > g->platform.hosts)
		tape_die(TAPE_FAILED,
			 "%s: hosts: %d; needed: %d; "
			 "--ranks-per-host, --hosts, --map or --hostfile let "
			 "ranks share them",
			 o->platform, g->platform.hosts, g->hosts);
	g->machine.cores = g->platform.cores;
	s->shared = o->links && g->platform.links > 0;
	s->link = g->platform.links;
	if (o->eager_bytes >= 0)
		s->eager_bytes = s->detached_bytes = (uint64_t)o->eager_bytes;
	sim_net_set(&g->net, s, NULL);
	g->machine.rate = g->platform.speed;
	g->machine.library = TAPE_COLL_SMPI;
	tape_clean(o->platform, g->name, sizeof g->name);
}

/* ---- models ---- */

static int needs_distance(const struct target *g, enum tape_distance d,
			  size_t ranks)
{
	switch (d) {
	case TAPE_SHM:
		return (size_t)g->hosts < ranks;
	case TAPE_NET:
		return g->hosts > 1;
	case TAPE_CACHE:
	case TAPE_PACKAGE:
	case TAPE_SWITCH:
		return g->machine.distances && g->distances.has[d];
	case TAPE_SELF:
	case TAPE_DISTANCES:
		break;
	}
	return 0;
}

/* Uses only the given models; they must be complete. */
static void use_model_files(struct target *g, const struct sim_options *o,
			    size_t ranks)
{
	struct tape_machine one, all;

	tape_machine_nothing(&all);
	for (int i = 0; i < o->models.n; i++) {
		const char *path = o->models.path[i];
		const char *suffix = strrchr(path, '.');

		if (suffix && !strcmp(suffix, ".lua")) {
			if (g->own)
				tape_die(
				    TAPE_USAGE,
				    "-m %s: only one model in Lua is allowed",
				    path);
			g->own = own_model_open(path);
			continue;
		}
		tape_machine_read(path, &one);
		tape_machine_add(&one, &all);
	}
	if (g->machine.distances)
		tape_machine_inherit(&all, &g->distances);
	tape_machine_give(&all, &g->model);
	if (g->own) {
		g->model.own_transit = own_model_transit;
		g->model.context = g->own;
	}
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		if (!g->own &&
		    needs_distance(g, (enum tape_distance)d, ranks) &&
		    !g->model.transit[d][0].n)
			tape_die(
			    TAPE_FAILED,
			    "%s: the model has no transit time for distance "
			    "%s, and there is no trace to learn it from",
			    o->models.path[o->models.n - 1],
			    tape_distance_name[d]);
		g->net.limit_bytes[d] = all.limit_bytes[d] < 0
						? EAGER_DEFAULT
						: (uint64_t)all.limit_bytes[d];
		if (!g->model.transit[d][1].n)
			g->model.transit[d][1] = g->model.transit[d][0];
	}
}

/*
 * Fits what the given models do not have to the messages of the trace, as tico
 * does.
 */
static void learn_from_trace(struct target *g, const struct sim_options *o,
			     struct tape_trace *t)
{
	struct sample sample = SAMPLE_FIRST;
	struct how how = { .rule = TAPE_RULE_MINIMAL,
			   .longest_ns = INFINITY };

	how.loose = inputs_open(&g->inputs, t, &o->models, o->links);
	g->has_inputs = 1;
	how.no_packing = o->no_packing;
	inputs_learn_model(&g->inputs, &how, &sample, &g->model);
	for (int d = 0; d < TAPE_DISTANCES; d++)
		g->net.limit_bytes[d] = g->inputs.eager.bytes[d];
}

static int can_learn(const struct tape_trace *t)
{
	return t && (tape_trace_base(t) == TAPE_BASE_GLOBAL ||
		     (tape_trace_base(t) == TAPE_BASE_LOCAL &&
		      tape_trace_domains(t) == 1));
}

static void use_models(struct target *g, const struct sim_options *o,
		       struct tape_trace *t, size_t ranks)
{
	size_t used = 0;

	if (!o->models.n && !can_learn(t))
		tape_die(TAPE_FAILED,
			 "%s: cannot learn the machine from this trace: give "
			 "-m FILE or --platform FILE.xml (only an uncorrected "
			 "trace in global time works without them)",
			 o->input);
	sim_net_set(&g->net, NULL, &g->model);
	if (can_learn(t))
		learn_from_trace(g, o, t);
	else
		use_model_files(g, o, ranks);
	if (o->links)
		for (int d = TAPE_SELF + 1; d < TAPE_DISTANCES; d++)
			g->model.shared[d] = 1;
	for (int d = 0; d < TAPE_DISTANCES && o->eager_bytes >= 0; d++)
		g->net.limit_bytes[d] = (uint64_t)o->eager_bytes;
	g->machine.rate = o->rate > 0 ? o->rate : 1e9;
	g->machine.library = TAPE_COLL_OPEN_MPI;
	snprintf(g->name, sizeof g->name, "%s", "the traced machine");
	for (int i = 0; i < o->models.n && used < sizeof g->name; i++) {
		char name[200];

		used += (size_t)snprintf(g->name + used, sizeof g->name - used,
					 "%s%s", i ? ", " : "",
					 tape_clean(o->models.path[i], name,
						    sizeof name));
	}
}

/* ---- the whole target ---- */

static enum tape_coll_library parse_library(const char *name)
{
	if (!strcmp(name, "ompi"))
		return TAPE_COLL_SMPI;
	if (!strcmp(name, "openmpi"))
		return TAPE_COLL_OPEN_MPI;
	tape_die(TAPE_USAGE,
		 "--collectives %s: expected ompi (SimGrid's) or openmpi (Open "
		 "MPI 4.1) with the engine own",
		 name);
}

void target_open(struct target *g, const struct sim_options *o,
		 struct tape_trace *trace, size_t ranks)
{
	memset(g, 0, sizeof *g);
	set_hosts(g, o, trace, ranks);
	g->rank_speed = sim_parse_rank_speeds(o, ranks);
	if (o->platform)
		use_platform(g, o);
	else
		use_models(g, o, trace, ranks);
	if (o->collectives)
		g->machine.library = parse_library(o->collectives);
	if (o->latency >= 0)
		g->net.latency = o->latency;
	if (o->bandwidth > 0)
		g->net.bandwidth = o->bandwidth;
	g->machine.net = &g->net;
	g->machine.speed = o->speed;
	g->machine.rank_speed = g->rank_speed;
	g->machine.no_packing = o->no_packing;
}

void target_close(struct target *g)
{
	if (g->has_inputs)
		inputs_close(&g->inputs);
	own_model_close(g->own);
	if (g->machine.distances)
		tape_distances_free(&g->distances);
	free(g->rank_speed);
	free(g->host);
}
