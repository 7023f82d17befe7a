/* See sim_platform.h. */
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "escape.h"
#include "error.h"
#include "file_input.h"
#include "sim_platform.h"
#include "tool.h"
#include "quantity.h"

#ifdef TAPE_HAVE_EXPAT
#include <expat.h>

/* Default loopback of hosts (network/loopback-bw). */
#define LOOPBACK_BANDWIDTH 1e10

#define CLUSTERS_MOST 1000000

/* Maximum number of links of a single host. */
#define LINKS_MOST 16
struct link {
	char id[64];
	double bandwidth, latency_s;
	int shared;
};

struct reading {
	XML_Parser parser;
	const char *path;
	struct sim_platform *p;
	int clusters; /* clusters or hosts so far */
	int is_host;
	char host[64];
	struct link links[LINKS_MOST];
	int n_links;
	int on_route;  /* links of the route so far */
	double shared; /* minimum bandwidth of the shared links */
};

__attribute__((noreturn)) static void die_with_value(const struct reading *r,
						     const char *what,
						     const char *value,
						     const char *why)
{
	char name[300], text[200], shown[200];

	tape_die(TAPE_FAILED, "%s:%lu: %s \"%s\": %s",
		 tape_clean(r->path, name, sizeof name),
		 (unsigned long)XML_GetCurrentLineNumber(r->parser),
		 tape_clean(what, text, sizeof text),
		 tape_clean(value, shown, sizeof shown), why);
}

static const char *find_attribute(const char **list, const char *name)
{
	for (; *list; list += 2)
		if (!strcmp(list[0], name))
			return list[1];
	return NULL;
}

typedef int parse_quantity(const char *text, double *v);

/*
 * Reads the value of an attribute into *v. Returns 0 if there is no such
 * attribute.
 */
static int read_quantity(const struct reading *r, const char **list,
			 const char *name, parse_quantity *read, double *v)
{
	const char *text = find_attribute(list, name);

	if (!text)
		return 0;
	if (read(text, v))
		die_with_value(r, name, text,
			       "not a number with a unit of that");
	return 1;
}

/* Counts the hosts of a list such as "0-3,8,10-11". */
static int count_hosts(const struct reading *r, const char *radical)
{
	const char *s = radical;
	uint64_t n = 0, from, to;

	while (*s) {
		if (tape_parse_range(&s, INT64_MAX, &from, &to) ||
		    to - from >= CLUSTERS_MOST)
			break;
		n += to - from + 1;
		if (!*s && n <= CLUSTERS_MOST)
			return (int)n;
		if (*s++ != ',')
			break;
	}
	die_with_value(r, "radical", radical, "not a list of numbers of hosts");
}

static double smaller_of(double a, double b)
{
	return a < b ? a : b;
}

/*
 * Sets the routes of a cluster whose links have the given bandwidth and
 * latency.
 */
static void set_routes(struct reading *r, const char **list, double bandwidth,
		       double latency)
{
	struct sim_platform *p = r->p;
	struct sim_route net = { 2 * latency, bandwidth };
	struct sim_route self = { 0, LOOPBACK_BANDWIDTH };
	double bb_bandwidth = 0, bb_latency = 0;
	const char *policy = find_attribute(list, "sharing_policy");
	const char *bb_policy = find_attribute(list, "bb_sharing_policy");

	read_quantity(r, list, "loopback_bw", sim_parse_bandwidth,
		      &self.bandwidth);
	read_quantity(r, list, "loopback_lat", sim_parse_seconds,
		      &self.latency_s);
	read_quantity(r, list, "bb_lat", sim_parse_seconds, &bb_latency);
	if (read_quantity(r, list, "bb_bw", sim_parse_bandwidth,
			  &bb_bandwidth)) {
		net.latency_s += bb_latency;
		net.bandwidth = smaller_of(bandwidth, bb_bandwidth);
		if (!bb_policy || strcmp(bb_policy, "FATPIPE") != 0)
			p->smpi.backbone = bb_bandwidth / net.bandwidth;
	}
	if (!policy || strcmp(policy, "FATPIPE") != 0)
		p->links = bandwidth / net.bandwidth;
	p->smpi.route[TAPE_NET] = net;
	p->smpi.route[TAPE_SHM] = p->smpi.route[TAPE_SELF] = self;
}

static void read_cluster(struct reading *r, const char **list)
{
	static const char *const needed[] = { "radical", "speed", "bw", "lat" };
	const char *topology = find_attribute(list, "topology");
	double bandwidth, latency;

	if (r->clusters++)
		die_with_value(r, "cluster", find_attribute(list, "id") ?: "",
			       "more than one cluster needs --engine simgrid");
	for (int i = 0; i < 4; i++)
		if (!find_attribute(list, needed[i]))
			die_with_value(r, "cluster", needed[i], "is missing");
	if (find_attribute(list, "limiter_link"))
		die_with_value(r, "limiter_link",
			       find_attribute(list, "limiter_link"),
			       "needs --engine simgrid");
	if (topology && strcmp(topology, "FLAT") != 0)
		die_with_value(r, "topology", topology,
			       "needs --engine simgrid");
	r->p->hosts = count_hosts(r, find_attribute(list, "radical"));
	read_quantity(r, list, "speed", sim_parse_speed, &r->p->speed);
	if (find_attribute(list, "core"))
		r->p->cores = atoi(find_attribute(list, "core"));
	read_quantity(r, list, "bw", sim_parse_bandwidth, &bandwidth);
	read_quantity(r, list, "lat", sim_parse_seconds, &latency);
	if (!(r->p->speed > 0) || !(bandwidth > 0))
		die_with_value(r, "cluster", find_attribute(list, "id") ?: "",
			       "its speed and bandwidth must not be 0");
	set_routes(r, list, bandwidth, latency);
}

/* ---- one host ---- */

static void copy_attribute(const struct reading *r, const char **list,
			   const char *name, char *text, size_t n)
{
	const char *found = find_attribute(list, name);

	if (!found || strlen(found) >= n)
		die_with_value(r, name, found ? found : "",
			       "is missing, or too long");
	strcpy(text, found);
}

static void read_host(struct reading *r, const char **list)
{
	if (r->clusters++)
		die_with_value(r, "host", find_attribute(list, "id") ?: "",
			       "more than one host needs --engine simgrid");
	copy_attribute(r, list, "id", r->host, sizeof r->host);
	r->is_host = 1;
	r->p->hosts = 1;
	read_quantity(r, list, "speed", sim_parse_speed, &r->p->speed);
	if (find_attribute(list, "core"))
		r->p->cores = atoi(find_attribute(list, "core"));
	if (!(r->p->speed > 0))
		die_with_value(r, "host", r->host, "its speed must not be 0");
	r->p->smpi.route[TAPE_SHM] = r->p->smpi.route[TAPE_SELF] =
		(struct sim_route){ 0, LOOPBACK_BANDWIDTH };
}

static void read_link(struct reading *r, const char **list)
{
	struct link *l = &r->links[r->n_links];
	const char *policy = find_attribute(list, "sharing_policy");

	if (r->n_links == LINKS_MOST)
		die_with_value(r, "link", find_attribute(list, "id") ?: "",
			       "more need --engine simgrid");
	copy_attribute(r, list, "id", l->id, sizeof l->id);
	read_quantity(r, list, "bandwidth", sim_parse_bandwidth, &l->bandwidth);
	read_quantity(r, list, "latency", sim_parse_seconds, &l->latency_s);
	if (!(l->bandwidth > 0))
		die_with_value(r, "link", l->id, "its bandwidth must not be 0");
	l->shared = !policy || strcmp(policy, "FATPIPE") != 0;
	r->n_links++;
}

static void check_route(const struct reading *r, const char **list)
{
	const char *from = find_attribute(list, "src"),
		   *to = find_attribute(list, "dst");

	if (!r->is_host || !from || !to || strcmp(from, r->host) != 0 ||
	    strcmp(to, r->host) != 0)
		die_with_value(r, "route", from ? from : "",
			       "needs --engine simgrid");
}

static void read_route_link(struct reading *r, const char **list)
{
	const char *id = find_attribute(list, "id");
	struct sim_route *route = &r->p->smpi.route[TAPE_SHM];

	for (int i = 0; i < r->n_links; i++) {
		const struct link *l = &r->links[i];

		if (!id || strcmp(l->id, id) != 0)
			continue;
		if (!r->on_route++)
			*route = (struct sim_route){ 0, l->bandwidth };
		route->latency_s += l->latency_s;
		route->bandwidth = smaller_of(route->bandwidth, l->bandwidth);
		if (l->shared)
			r->shared = r->shared > 0
					? smaller_of(r->shared, l->bandwidth)
					: l->bandwidth;
		r->p->smpi.route[TAPE_SELF] = *route;
		return;
	}
	die_with_value(r, "link_ctn", id ? id : "", "no such link");
}

/* ---- settings ---- */

static int set_factors(struct sim_smpi *s, const char *id, const char *text)
{
	const struct {
		const char *id;
		struct sim_factors *f;
	} all[] = { { "smpi/os", &s->send },
		    { "smpi/ois", &s->isend },
		    { "smpi/or", &s->recv },
		    { "smpi/bw-factor", &s->bandwidth },
		    { "smpi/lat-factor", &s->latency } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(id, all[i].id))
			return sim_factors_read(text, all[i].f);
	return 0;
}

static int parse_bytes(const char *text, uint64_t *bytes)
{
	double v;

	if (tape_parse_real(text, 0, 1e18, &v, NULL) || v == 1e18)
		return TAPE_EFORMAT;
	*bytes = (uint64_t)v;
	return 0;
}

/* Reads a setting of messages. Other settings are ignored. */
static void read_setting(struct reading *r, const char **list)
{
	const char *id = find_attribute(list, "id");
	const char *text = find_attribute(list, "value");
	struct sim_smpi *s = &r->p->smpi;
	int rc = 0;

	if (!id || !text)
		return;
	if (!strcmp(id, "smpi/async-small-thresh"))
		rc = parse_bytes(text, &s->eager_bytes);
	else if (!strcmp(id, "smpi/send-is-detached-thresh"))
		rc = parse_bytes(text, &s->detached_bytes);
	else if (!strcmp(id, "network/TCP-gamma"))
		rc = sim_parse_bandwidth(text, &s->tcp_gamma);
	else
		rc = set_factors(s, id, text);
	if (rc)
		die_with_value(r, id, text, "not a value that SimGrid accepts");
}

static void read_element(void *self, const char *name, const char **list)
{
	static const char *const known[] = { "platform", "config", "zone",
					     "AS", NULL };
	static const struct {
		const char *name;
		void (*read)(struct reading *r, const char **list);
	} read[] = {{"cluster", read_cluster},
		    {"prop", read_setting},
		    {"host", read_host},
		    {"link", read_link},
		    {"link_ctn", read_route_link}};
	struct reading *r = self;
	int i;

	for (size_t k = 0; k < sizeof read / sizeof *read; k++)
		if (!strcmp(name, read[k].name)) {
			read[k].read(r, list);
			return;
		}
	if (!strcmp(name, "route")) {
		check_route(r, list);
		return;
	}
	for (i = 0; known[i] && strcmp(name, known[i]) != 0; i++)
		;
	if (!known[i])
		die_with_value(r, "element", name, "needs --engine simgrid");
}

static void die_at_line(const struct reading *r, const char *why)
{
	char name[300];

	tape_die(TAPE_FAILED, "%s:%lu: %s",
		 tape_clean(r->path, name, sizeof name),
		 (unsigned long)XML_GetCurrentLineNumber(r->parser), why);
}

void sim_platform_read(const char *path, struct sim_platform *p)
{
	struct reading r = { .path = path, .p = p };
	char part[8192], name[300];
	FILE *f = tape_file_input(path);
	size_t n;

	memset(p, 0, sizeof *p);
	sim_smpi_set_defaults(&p->smpi);
	p->cores = 1;
	r.parser = tape_must(XML_ParserCreate(NULL));
	XML_SetUserData(r.parser, &r);
	XML_SetStartElementHandler(r.parser, read_element);
	do {
		n = fread(part, 1, sizeof part, f);
		if (ferror(f))
			die_at_line(&r, "cannot be read");
		if (!XML_Parse(r.parser, part, (int)n, n < sizeof part))
			die_at_line(
			    &r, XML_ErrorString(XML_GetErrorCode(r.parser)));
	} while (n == sizeof part);
	if (!r.clusters)
		tape_die(TAPE_FAILED,
			 "%s: no cluster and no host; other platforms need "
			 "--engine simgrid",
			 tape_clean(path, name, sizeof name));
	if (r.shared > 0)
		p->links = r.shared / p->smpi.route[TAPE_SHM].bandwidth;
	XML_ParserFree(r.parser);
	fclose(f);
}

#else

void sim_platform_read(const char *path, struct sim_platform *p)
{
	char name[300];

	(void)p;
	tape_die(TAPE_FAILED,
		 "%s: tapesim was built without expat and cannot read "
		 "platforms itself (./deps installs libexpat1-dev)",
		 tape_clean(path, name, sizeof name));
}
#endif
