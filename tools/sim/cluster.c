/* A platform file of SimGrid; see cluster.h. */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "error.h"
#include "file_input.h"
#include "cluster.h"
#include "tool.h"
#include "quantity.h"

#ifdef TAPE_HAVE_EXPAT
#include <expat.h>

/* The loopback of hosts that say nothing of it (network/loopback-bw). */
#define LOOPBACK_BANDWIDTH 1e10

#define CLUSTERS_MOST 1000000

/* A link of a host by itself. */
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
	int clusters;           /* or hosts */
	int is_host;
	char host[64];
	struct link links[LINKS_MOST];
	int n_links;
	int on_route;           /* links of it that were seen */
	double shared;          /* the least bandwidth of those shared */
};

__attribute__((noreturn)) static void refuse(const struct reading *r,
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

static const char *attribute(const char **list, const char *name)
{
	for (; *list; list += 2)
		if (!strcmp(list[0], name))
			return list[1];
	return NULL;
}

typedef int reads(const char *text, double *v);

/* 0: it is not there. */
static int value(const struct reading *r, const char **list, const char *name,
		 reads *read, double *v)
{
	const char *text = attribute(list, name);

	if (!text)
		return 0;
	if (read(text, v))
		refuse(r, name, text, "not a number with a unit of that");
	return 1;
}

/* How many hosts "0-3,8,10-11" are. */
static int hosts_of(const struct reading *r, const char *radical)
{
	const char *s = radical;
	long long n = 0;

	while (*s) {
		char *end;
		long long from = strtoll(s, &end, 10), to = from;

		if (end == s || from < 0)
			break;
		s = end;
		if (*s == '-') {
			to = strtoll(s + 1, &end, 10);
			if (end == s + 1)
				break;
			s = end;
		}
		if (to < from || to - from >= CLUSTERS_MOST)
			break;
		n += to - from + 1;
		if (!*s && n <= CLUSTERS_MOST)
			return (int)n;
		if (*s++ != ',')
			break;
	}
	refuse(r, "radical", radical, "not a list of numbers of hosts");
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Routes of a cluster whose links have that bandwidth. */
static void set_routes(struct reading *r, const char **list, double bandwidth,
		       double latency)
{
	struct sim_platform *p = r->p;
	struct sim_route net = { 2 * latency, bandwidth };
	struct sim_route self = { 0, LOOPBACK_BANDWIDTH };
	double bb_bandwidth = 0, bb_latency = 0;
	const char *policy = attribute(list, "sharing_policy");
	const char *bb_policy = attribute(list, "bb_sharing_policy");

	value(r, list, "loopback_bw", sim_bandwidth, &self.bandwidth);
	value(r, list, "loopback_lat", sim_seconds, &self.latency_s);
	value(r, list, "bb_lat", sim_seconds, &bb_latency);
	if (value(r, list, "bb_bw", sim_bandwidth, &bb_bandwidth)) {
		net.latency_s += bb_latency;
		net.bandwidth = least(bandwidth, bb_bandwidth);
		if (!bb_policy || strcmp(bb_policy, "FATPIPE") != 0)
			p->smpi.backbone = bb_bandwidth / net.bandwidth;
	}
	if (!policy || strcmp(policy, "FATPIPE") != 0)
		p->links = bandwidth / net.bandwidth;
	p->smpi.route[TAPE_NET] = net;
	p->smpi.route[TAPE_SHM] = p->smpi.route[TAPE_SELF] = self;
}

static void cluster(struct reading *r, const char **list)
{
	static const char *const needed[] = { "radical", "speed", "bw", "lat" };
	const char *topology = attribute(list, "topology");
	double bandwidth, latency;

	if (r->clusters++)
		refuse(r, "cluster", attribute(list, "id") ?: "",
		       "a second cluster needs --engine simgrid");
	for (int i = 0; i < 4; i++)
		if (!attribute(list, needed[i]))
			refuse(r, "cluster", needed[i], "is missing");
	if (attribute(list, "limiter_link"))
		refuse(r, "limiter_link", attribute(list, "limiter_link"),
		       "needs --engine simgrid");
	if (topology && strcmp(topology, "FLAT") != 0)
		refuse(r, "topology", topology, "needs --engine simgrid");
	r->p->hosts = hosts_of(r, attribute(list, "radical"));
	value(r, list, "speed", sim_speed, &r->p->speed);
	if (attribute(list, "core"))
		r->p->cores = atoi(attribute(list, "core"));
	value(r, list, "bw", sim_bandwidth, &bandwidth);
	value(r, list, "lat", sim_seconds, &latency);
	if (!(r->p->speed > 0) || !(bandwidth > 0))
		refuse(r, "cluster", attribute(list, "id") ?: "",
		       "its speed and bandwidth must not be 0");
	set_routes(r, list, bandwidth, latency);
}

/* ---- one host ---- */

static void copy(const struct reading *r, const char **list, const char *name,
		 char *text, size_t n)
{
	const char *found = attribute(list, name);

	if (!found || strlen(found) >= n)
		refuse(r, name, found ? found : "", "is missing, or too long");
	strcpy(text, found);
}

static void host(struct reading *r, const char **list)
{
	if (r->clusters++)
		refuse(r, "host", attribute(list, "id") ?: "",
		       "a second host needs --engine simgrid");
	copy(r, list, "id", r->host, sizeof r->host);
	r->is_host = 1;
	r->p->hosts = 1;
	value(r, list, "speed", sim_speed, &r->p->speed);
	if (attribute(list, "core"))
		r->p->cores = atoi(attribute(list, "core"));
	if (!(r->p->speed > 0))
		refuse(r, "host", r->host, "its speed must not be 0");
	r->p->smpi.route[TAPE_SHM] = r->p->smpi.route[TAPE_SELF] =
		(struct sim_route){ 0, LOOPBACK_BANDWIDTH };
}

static void link_of(struct reading *r, const char **list)
{
	struct link *l = &r->links[r->n_links];
	const char *policy = attribute(list, "sharing_policy");

	if (r->n_links == LINKS_MOST)
		refuse(r, "link", attribute(list, "id") ?: "",
		       "so many need --engine simgrid");
	copy(r, list, "id", l->id, sizeof l->id);
	value(r, list, "bandwidth", sim_bandwidth, &l->bandwidth);
	value(r, list, "latency", sim_seconds, &l->latency_s);
	if (!(l->bandwidth > 0))
		refuse(r, "link", l->id, "its bandwidth must not be 0");
	l->shared = !policy || strcmp(policy, "FATPIPE") != 0;
	r->n_links++;
}

static void route(const struct reading *r, const char **list)
{
	const char *from = attribute(list, "src"), *to = attribute(list, "dst");

	if (!r->is_host || !from || !to || strcmp(from, r->host) != 0 ||
	    strcmp(to, r->host) != 0)
		refuse(r, "route", from ? from : "",
		       "needs --engine simgrid");
}

static void link_on_route(struct reading *r, const char **list)
{
	const char *id = attribute(list, "id");
	struct sim_route *route = &r->p->smpi.route[TAPE_SHM];

	for (int i = 0; i < r->n_links; i++) {
		const struct link *l = &r->links[i];

		if (!id || strcmp(l->id, id) != 0)
			continue;
		if (!r->on_route++)
			*route = (struct sim_route){ 0, l->bandwidth };
		route->latency_s += l->latency_s;
		route->bandwidth = least(route->bandwidth, l->bandwidth);
		if (l->shared)
			r->shared = r->shared > 0 ? least(r->shared,
							  l->bandwidth)
						  : l->bandwidth;
		r->p->smpi.route[TAPE_SELF] = *route;
		return;
	}
	refuse(r, "link_ctn", id ? id : "", "there is no such link");
}

/* ---- settings ---- */

static int factors(struct sim_smpi *s, const char *id, const char *text)
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

static int bytes_of(const char *text, uint64_t *bytes)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 0 && v < 1e18))
		return TAPE_EFORMAT;
	*bytes = (uint64_t)v;
	return 0;
}

/* Settings of messages; others say nothing of them. */
static void setting(struct reading *r, const char **list)
{
	const char *id = attribute(list, "id");
	const char *text = attribute(list, "value");
	struct sim_smpi *s = &r->p->smpi;
	int rc = 0;

	if (!id || !text)
		return;
	if (!strcmp(id, "smpi/async-small-thresh"))
		rc = bytes_of(text, &s->eager_bytes);
	else if (!strcmp(id, "smpi/send-is-detached-thresh"))
		rc = bytes_of(text, &s->detached_bytes);
	else if (!strcmp(id, "network/TCP-gamma"))
		rc = sim_bandwidth(text, &s->tcp_gamma);
	else
		rc = factors(s, id, text);
	if (rc)
		refuse(r, id, text, "not a value that SimGrid takes");
}

static void element(void *self, const char *name, const char **list)
{
	static const char *const known[] = { "platform", "config", "zone",
					     "AS", NULL };
	static const struct {
		const char *name;
		void (*read)(struct reading *r, const char **list);
	} read[] = { { "cluster", cluster },
		     { "prop", setting },
		     { "host", host },
		     { "link", link_of },
		     { "link_ctn", link_on_route } };
	struct reading *r = self;
	int i;

	for (size_t k = 0; k < sizeof read / sizeof *read; k++)
		if (!strcmp(name, read[k].name)) {
			read[k].read(r, list);
			return;
		}
	if (!strcmp(name, "route")) {
		route(r, list);
		return;
	}
	for (i = 0; known[i] && strcmp(name, known[i]) != 0; i++)
		;
	if (!known[i])
		refuse(r, "element", name, "needs --engine simgrid");
}

static void wrong(const struct reading *r, const char *why)
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
	sim_smpi_default(&p->smpi);
	p->cores = 1;
	r.parser = tape_must(XML_ParserCreate(NULL));
	XML_SetUserData(r.parser, &r);
	XML_SetStartElementHandler(r.parser, element);
	do {
		n = fread(part, 1, sizeof part, f);
		if (ferror(f))
			wrong(&r, "cannot be read");
		if (!XML_Parse(r.parser, part, (int)n, n < sizeof part))
			wrong(&r, XML_ErrorString(XML_GetErrorCode(r.parser)));
	} while (n == sizeof part);
	if (!r.clusters)
		tape_die(TAPE_FAILED, "%s: there is no cluster and no host in "
			 "it; other things need --engine simgrid",
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
	tape_die(TAPE_FAILED, "%s: tapesim was built without expat, and reads "
		 "no platforms itself (./deps installs libexpat1-dev)",
		 tape_clean(path, name, sizeof name));
}
#endif
