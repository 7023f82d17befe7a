/* See shape.h. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"
#include "tool.h"

/* ---- values with units ---- */

struct unit {
	const char *name;
	double factor;
};

static const struct unit speeds[] = {
	{ "f", 1 }, { "kf", 1e3 }, { "Mf", 1e6 }, { "Gf", 1e9 }, { "Tf", 1e12 },
	{ "Pf", 1e15 }, { NULL, 0 } };
static const struct unit bandwidths[] = {
	{ "Bps", 1 }, { "kBps", 1e3 }, { "MBps", 1e6 }, { "GBps", 1e9 },
	{ "TBps", 1e12 }, { "bps", 0.125 }, { "kbps", 125 }, { "Mbps", 125e3 },
	{ "Gbps", 125e6 }, { "Tbps", 125e9 }, { "KiBps", 1024 },
	{ "MiBps", 1048576 }, { "GiBps", 1073741824 }, { NULL, 0 } };
static const struct unit times[] = {
	{ "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 },
	{ "ps", 1e-12 }, { NULL, 0 } };

static int with_unit(const char *s, const struct unit *u, double *value)
{
	char *end;
	double x = strtod(s, &end);

	if (end == s || !(x > 0) || !isfinite(x))
		return -1;
	for (; u->name; u++)
		if (!strcmp(end, u->name)) {
			*value = x * u->factor;
			return isfinite(*value) ? 0 : -1;
		}
	return -1;
}

int shape_speed(const char *s, double *value)
{
	return with_unit(s, speeds, value);
}

int shape_bandwidth(const char *s, double *value)
{
	return with_unit(s, bandwidths, value);
}

int shape_time(const char *s, double *value)
{
	return with_unit(s, times, value);
}

/* ---- words ---- */

__attribute__((noreturn)) static void wrong(const char *word,
					    const char *wanted)
{
	tape_die(TAPE_USAGE, "\"%s\": %s", word, wanted);
}

/* Reads digits at *s and goes on behind them. */
static int count(const char **s, const char *word, int most)
{
	char *end;
	long n = **s >= '0' && **s <= '9' ? strtol(*s, &end, 10) : 0;

	if (n < 1 || n > most) {
		char wanted[80];

		snprintf(wanted, sizeof wanted,
			 "a whole number from 1 to %d is wanted", most);
		wrong(word, wanted);
	}
	*s = end;
	return (int)n;
}

static int whole(const char *s, const char *word, int most)
{
	int n = count(&s, word, most);

	if (*s)
		wrong(word, "a whole number is wanted");
	return n;
}

/* "NxM..." as numbers: how many. */
static int dimensions(const char *s, const char *word, int *n, int most)
{
	int d = 0;

	for (;;) {
		n[d++] = count(&s, word, TAPE_PLATFORM_MOST);
		if (!*s)
			return d;
		if (*s++ != 'x' || d == most)
			wrong(word, most == 2 ?
				"two numbers are wanted, as in 3x32" :
				"up to four numbers are wanted, as in 4x4x2");
	}
}

/* What a key of which platform sets. */
enum value { SPEED, BANDWIDTH, TIME, COUNT };

struct key {
	const char *name;
	enum value value;
	size_t offset;
	unsigned shapes; /* bits */
};

#define AT(field) offsetof(struct tape_platform, field)
#define OF(shape) (1u << TAPE_##shape)
#define ALL (OF(NODE) | HOSTS)
#define HOSTS (OF(CLUSTER) | OF(CABINETS) | OF(FAT_TREE) | OF(TORUS))

static const struct key keys[] = {
	{ "speed", SPEED, AT(speed), ALL },
	{ "cores", COUNT, AT(cores), HOSTS },
	{ "bandwidth", BANDWIDTH, AT(bandwidth), ALL },
	{ "latency", TIME, AT(latency_s), ALL },
	{ "shared", BANDWIDTH, AT(shared_bandwidth), ALL & ~OF(TORUS) },
	{ "loopback", BANDWIDTH, AT(loopback_bandwidth), HOSTS },
	{ "loopback_latency", TIME, AT(loopback_latency_s), HOSTS },
	{ "backbone", BANDWIDTH, AT(backbone_bandwidth),
	  OF(CLUSTER) | OF(CABINETS) },
	{ "backbone_latency", TIME, AT(backbone_latency_s),
	  OF(CLUSTER) | OF(CABINETS) },
	{ "uplink", BANDWIDTH, AT(uplink_bandwidth), OF(CABINETS) },
	{ "uplink_latency", TIME, AT(uplink_latency_s), OF(CABINETS) },
	{ "uplinks", COUNT, AT(uplinks), OF(FAT_TREE) },
	{ NULL, COUNT, 0, 0 } };

static void set(struct tape_platform *p, const struct key *k, const char *s,
		const char *word)
{
	char *at = (char *)p + k->offset;
	int rc = 0;

	switch (k->value) {
	case SPEED:
		rc = shape_speed(s, (double *)(void *)at);
		break;
	case BANDWIDTH:
		rc = shape_bandwidth(s, (double *)(void *)at);
		break;
	case TIME:
		rc = shape_time(s, (double *)(void *)at);
		break;
	case COUNT:
		*(int *)(void *)at = whole(s, word, 65536);
		break;
	}
	if (rc)
		wrong(word, k->value == SPEED ?
			"a speed is wanted, as 2.5Gf" :
			k->value == TIME ? "a time is wanted, as 10us" :
			"a bandwidth is wanted, as 1.25GBps or 10Gbps");
}

static void setting(struct tape_platform *p, char *word)
{
	char *value = strchr(word, '=');
	const struct key *k = keys;

	if (!value)
		wrong(word, "KEY=VALUE is wanted");
	while (k->name && (strlen(k->name) != (size_t)(value - word) ||
			   strncmp(k->name, word, strlen(k->name)) != 0))
		k++;
	if (!k->name)
		wrong(word, "there is no such key");
	if (!(k->shapes & 1u << p->shape))
		wrong(word, "this platform has no such key");
	set(p, k, value + 1, word);
}

/* ---- shapes ---- */

static const char *const names[TAPE_SHAPES] = {
	[TAPE_NODE] = "node", [TAPE_CLUSTER] = "cluster",
	[TAPE_CABINETS] = "cabinets", [TAPE_FAT_TREE] = "fat_tree",
	[TAPE_TORUS] = "torus" };

/* Routes between cabinets are written one by one. */
enum { CABINETS_MOST = 256 };

static void sizes(struct tape_platform *p, const char *s, const char *word)
{
	int n[TAPE_PLATFORM_DIMENSIONS];

	switch (p->shape) {
	case TAPE_NODE:
		p->cores = whole(s, word, 65536);
		break;
	case TAPE_CLUSTER:
		p->hosts = whole(s, word, TAPE_PLATFORM_MOST);
		break;
	case TAPE_CABINETS:
	case TAPE_FAT_TREE:
		if (dimensions(s, word, n, 2) != 2)
			wrong(word, "two numbers are wanted, as in 3x32");
		p->cabinets = n[0];
		p->hosts = n[1];
		if (n[0] > CABINETS_MOST)
			wrong(word, "256 cabinets are the most");
		break;
	case TAPE_TORUS:
		p->dimensions = dimensions(s, word, p->dimension,
					   TAPE_PLATFORM_DIMENSIONS);
		break;
	case TAPE_SHAPES:
		break;
	}
}

/* The number of hosts by multiplication, which may be too large for a long. */
static void check_hosts(const struct tape_platform *p, const char *word)
{
	double n = 1;

	if (p->shape == TAPE_CABINETS || p->shape == TAPE_FAT_TREE)
		n = (double)p->hosts * p->cabinets;
	for (int i = 0; p->shape == TAPE_TORUS && i < p->dimensions; i++)
		n *= p->dimension[i];
	if (n > TAPE_PLATFORM_MOST)
		wrong(word, "a million hosts are the most");
}

/* What was not said follows from what was. */
static void complete(struct tape_platform *p)
{
	if (p->shape == TAPE_CABINETS) {
		if (!(p->uplink_bandwidth > 0))
			p->uplink_bandwidth = 10 * p->bandwidth;
		if (!(p->backbone_bandwidth > 0))
			p->backbone_bandwidth = p->uplink_bandwidth;
		if (!(p->uplink_latency_s > 0))
			p->uplink_latency_s = p->latency_s / 2;
	}
}

void shape_read(const char *words, struct tape_platform *p)
{
	char *copy = tape_must(strdup(words)), *rest = copy, *word, *colon;
	int shape = 0;

	word = strsep(&rest, ",");
	colon = strchr(word, ':');
	while (shape < TAPE_SHAPES &&
	       (!colon || strlen(names[shape]) != (size_t)(colon - word) ||
		strncmp(names[shape], word, (size_t)(colon - word)) != 0))
		shape++;
	if (shape == TAPE_SHAPES)
		wrong(word, "node:CORES, cluster:HOSTS, cabinets:CxH, "
			    "fat_tree:CxH or torus:XxYxZ is wanted");
	p->shape = (enum tape_shape)shape;
	sizes(p, colon + 1, word);
	check_hosts(p, word);
	while ((word = strsep(&rest, ",")))
		setting(p, word);
	complete(p);
	free(copy);
}
