/* See platform.h; doc/platforms.md says what SimGrid makes of it. */
#include <inttypes.h>
#include <limits.h>

#include "platform.h"

const struct tape_platform tape_platform_usual = {
	.shape = TAPE_NODE, .hosts = 1, .cores = 1, .cabinets = 1,
	.uplinks = 1, .speed = 1e9, .latency_s = 1e-6, .bandwidth = 1.25e9 };

/* ---- settings ---- */

void tape_platform_setting(FILE *config, const char *id, const char *value)
{
	fprintf(config, "    <prop id=\"%s\" value=\"%s\"/>\n", id, value);
}

static void open_setting(FILE *config, const char *id)
{
	fprintf(config, "    <prop id=\"%s\" value=\"", id);
}

static void close_setting(FILE *config)
{
	fputs("\"/>\n", config);
}

/* One of the two columns of factors; SMPI compares with the header added. */
static void write_factors(const struct tape_smpi_table *t, const char *id,
			  int is_rate, FILE *config)
{
	double last = -1;

	open_setting(config, id);
	for (int k = 0; k < t->n; k++) {
		const struct tape_smpi_piece *p = &t->piece[k];
		double value = is_rate ? p->rate : p->constant;

		if (k && !(value < last) && !(value > last))
			continue;
		fprintf(config, "%s%.0f:%.9g", k ? ";" : "",
			k ? p->from_bytes + TAPE_SMPI_HEADER - 1 : 0, value);
		last = value;
	}
	close_setting(config);
}

static void write_overheads(const struct tape_smpi_table *t, const char *id,
			    FILE *config)
{
	if (!t->n)
		return;
	open_setting(config, id);
	for (int k = 0; k < t->n; k++)
		fprintf(config, "%s%.0f:%.9g:%.9g", k ? ";" : "",
			k ? t->piece[k].from_bytes - 1 : 0,
			t->piece[k].constant, t->piece[k].rate);
	close_setting(config);
}

void tape_platform_settings(const struct tape_smpi *s, FILE *config)
{
	char limit[32];

	write_factors(&s->factors, "smpi/lat-factor", 0, config);
	write_factors(&s->factors, "smpi/bw-factor", 1, config);
	write_overheads(&s->os, "smpi/os", config);
	write_overheads(&s->or, "smpi/or", config);
	write_overheads(&s->ois, "smpi/ois", config);
	/* the first size that is not eager */
	snprintf(limit, sizeof limit, "%" PRId64,
		 s->eager_bytes < INT_MAX ? s->eager_bytes + 1 : INT_MAX);
	tape_platform_setting(config, "smpi/async-small-thresh", limit);
	tape_platform_setting(config, "smpi/send-is-detached-thresh", limit);
	/* what was measured has its effect already */
	tape_platform_setting(config, "network/TCP-gamma", "0");
	tape_platform_setting(config, "network/crosstraffic", "no");
}

/* ---- shapes ---- */

void tape_platform_link(FILE *out, const char *id, double bandwidth,
			double latency_s, const char *policy)
{
	fprintf(out, "    <link id=\"%s\" bandwidth=\"%.9gBps\" "
		"latency=\"%.9gs\" sharing_policy=\"%s\"/>\n", id, bandwidth,
		latency_s, policy);
}

/* What the names of hosts begin with. */
static const char *host_name_prefix(const struct tape_platform *p,
				    const char *id)
{
	return p->shape == TAPE_CABINETS ? id
	       : p->shape == TAPE_NODE	 ? "core"
	       : p->shape == TAPE_TREE	 ? tape_platform_leaf(p)
					 : "node";
}

void tape_platform_cluster(const struct tape_platform *p, const char *id,
			   int links, long first, int hosts, FILE *out)
{
	fprintf(out,
		"  <cluster id=\"%s\" prefix=\"%s-\" suffix=\"\" "
		"radical=\"%ld-%ld\"\n    speed=\"%.9gf\" core=\"%d\" "
		"bw=\"%.9gBps\" lat=\"%.9gs\" sharing_policy=\"SPLITDUPLEX\"",
		id, host_name_prefix(p, id), first, first + hosts - 1, p->speed,
		p->cores, p->bandwidth, p->latency_s / links);
	if (p->shared_bandwidth > 0)
		fprintf(out, "\n    limiter_link=\"%.9gBps\"",
			p->shared_bandwidth);
	if (p->loopback_bandwidth > 0)
		fprintf(out, "\n    loopback_bw=\"%.9gBps\" "
			"loopback_lat=\"%.9gs\"", p->loopback_bandwidth,
			p->loopback_latency_s);
}

/* A host for each core: so each rank has one, and messages their ends. */
static void write_node(const struct tape_platform *p, FILE *out)
{
	struct tape_platform core = *p;

	core.cores = 1;
	core.loopback_latency_s = p->latency_s;
	core.loopback_bandwidth = p->bandwidth;
	tape_platform_cluster(&core, "node", 2, 0, p->cores, out);
	fputs("/>\n", out);
}

static void simple_cluster(const struct tape_platform *p, FILE *out)
{
	tape_platform_cluster(p, "cluster", 2, 0, p->hosts, out);
	if (p->backbone_bandwidth > 0)
		fprintf(out, "\n    bb_bw=\"%.9gBps\" bb_lat=\"%.9gs\"",
			p->backbone_bandwidth, p->backbone_latency_s);
	fputs("/>\n", out);
}

static void write_torus(const struct tape_platform *p, FILE *out)
{
	tape_platform_cluster(p, "cluster", 1, 0, (int)tape_platform_hosts(p),
			      out);
	fputs("\n    topology=\"TORUS\" topo_parameters=\"", out);
	for (int i = 0; i < p->dimensions; i++)
		fprintf(out, "%s%d", i ? "," : "", p->dimension[i]);
	fputs("\"/>\n", out);
}

static void fat_tree(const struct tape_platform *p, FILE *out)
{
	tape_platform_cluster(p, "cluster", 2, 0, (int)tape_platform_hosts(p),
			      out);
	fprintf(out, "\n    topology=\"FAT_TREE\" "
		"topo_parameters=\"2;%d,%d;1,%d;1,1\"/>\n",
		p->hosts, p->cabinets, p->uplinks);
}

/* Each pair of cabinets has a route over the links of both. */
static void write_cabinets(const struct tape_platform *p, FILE *out)
{
	char id[32];

	fputs("  <zone id=\"site\" routing=\"Full\">\n", out);
	for (int c = 0; c < p->cabinets; c++) {
		snprintf(id, sizeof id, "cabinet%d", c);
		tape_platform_cluster(p, id, 2, 0, p->hosts, out);
		fprintf(out, "\n    router_id=\"switch%d\"/>\n", c);
		snprintf(id, sizeof id, "uplink%d", c);
		tape_platform_link(out, id, p->uplink_bandwidth,
				   p->uplink_latency_s, "SPLITDUPLEX");
	}
	tape_platform_link(out, "backbone", p->backbone_bandwidth,
			   p->backbone_latency_s, "FATPIPE");
	for (int a = 0; a < p->cabinets; a++)
		for (int b = a + 1; b < p->cabinets; b++)
			fprintf(out, "    <zoneRoute src=\"cabinet%d\" "
				"dst=\"cabinet%d\" gw_src=\"switch%d\" "
				"gw_dst=\"switch%d\"><link_ctn "
				"id=\"uplink%d\" direction=\"UP\"/><link_ctn "
				"id=\"backbone\"/><link_ctn id=\"uplink%d\" "
				"direction=\"DOWN\"/></zoneRoute>\n", a, b, a,
				b, a, b);
	fputs("  </zone>\n", out);
}

void tape_platform_write(const struct tape_platform *p, FILE *out)
{
	fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM "
	      "\"https://simgrid.org/simgrid.dtd\">\n"
	      "<platform version=\"4.1\">\n", out);
	if (p->config && *p->config)
		fprintf(out, "  <config>\n%s  </config>\n", p->config);
	switch (p->shape) {
	case TAPE_NODE:
		write_node(p, out);
		break;
	case TAPE_CLUSTER:
		simple_cluster(p, out);
		break;
	case TAPE_CABINETS:
		write_cabinets(p, out);
		break;
	case TAPE_FAT_TREE:
		fat_tree(p, out);
		break;
	case TAPE_TORUS:
		write_torus(p, out);
		break;
	case TAPE_TREE:
		tape_platform_tree(p, out);
		break;
	case TAPE_SHAPES:
		break;
	}
	fputs("</platform>\n", out);
}

/* ---- hosts ---- */

long tape_platform_hosts(const struct tape_platform *p)
{
	long n = 1;

	switch (p->shape) {
	case TAPE_NODE:
		return 1;
	case TAPE_CLUSTER:
		return p->hosts;
	case TAPE_CABINETS:
	case TAPE_FAT_TREE:
		return (long)p->hosts * p->cabinets;
	case TAPE_TORUS:
		for (int i = 0; i < p->dimensions; i++)
			n *= p->dimension[i];
		return n;
	case TAPE_TREE:
		return tape_platform_tree_hosts(p, 0);
	case TAPE_SHAPES:
		break;
	}
	return 0;
}

void tape_platform_write_hosts(const struct tape_platform *p, FILE *out)
{
	int node = p->shape == TAPE_NODE;
	long hosts = node ? p->cores : tape_platform_hosts(p);

	for (long h = 0; h < hosts; h++)
		for (int c = 0; c < (node ? 1 : p->cores); c++)
			if (p->shape == TAPE_CABINETS)
				fprintf(out, "cabinet%ld-%ld\n", h / p->hosts,
					h % p->hosts);
			else
				fprintf(out, "%s-%ld\n",
					host_name_prefix(p, ""), h);
}
