/* See platform_words.h. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "number_text.h"
#include "platform_words.h"
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

static int parse_with_unit(const char *s, const struct unit *u, double *value)
{
	const char *end;
	double x;

	if (tape_parse_real(s, DBL_TRUE_MIN, DBL_MAX, &x, &end))
		return -1;
	for (; u->name; u++)
		if (!strcmp(end, u->name)) {
			*value = x * u->factor;
			return isfinite(*value) ? 0 : -1;
		}
	return -1;
}

int platform_parse_speed(const char *s, double *value)
{
	return parse_with_unit(s, speeds, value);
}

int platform_parse_bandwidth(const char *s, double *value)
{
	return parse_with_unit(s, bandwidths, value);
}

int platform_parse_time(const char *s, double *value)
{
	return parse_with_unit(s, times, value);
}

/* ---- words ---- */

__attribute__((noreturn)) static void die_for_word(const char *word,
						   const char *wanted)
{
	tape_die(TAPE_USAGE, "\"%s\": %s", word, wanted);
}

/* Reads a number from 1 to most at *s and moves *s after it. */
static int read_count(const char **s, const char *word, int most)
{
	int64_t n;

	if (**s < '0' || **s > '9' || tape_parse_whole(*s, 1, most, &n, s)) {
		char wanted[80];

		snprintf(wanted, sizeof wanted,
			 "a whole number from 1 to %d is wanted", most);
		die_for_word(word, wanted);
	}
	return (int)n;
}

static int parse_count(const char *s, const char *word, int most)
{
	int n = read_count(&s, word, most);

	if (*s)
		die_for_word(word, "a whole number is wanted");
	return n;
}

/* Parses "NxM..." into n. Returns the number of dimensions. */
static int parse_dimensions(const char *s, const char *word, int *n, int most)
{
	int d = 0;

	for (;;) {
		n[d++] = read_count(&s, word, TAPE_PLATFORM_MOST);
		if (!*s)
			return d;
		if (*s++ != 'x' || d == most)
			die_for_word(
			    word,
			    most == 2 ? "two numbers are wanted, as in 3x32"
			    : most == TAPE_PLATFORM_LEVELS
				? "up to eight numbers are wanted, as in 4x2x8"
				: "up to four numbers are wanted, as in 4x4x2");
	}
}

/*
 * Keys of the words: the field that they set, and the platforms that have them.
 */
enum value { SPEED, BANDWIDTH, TIME, COUNT, NAME };

struct key {
	const char *name;
	enum value value;
	size_t offset;
	unsigned shapes; /* bits */
};

#define AT(field) offsetof(struct tape_platform, field)
#define OF(shape) (1u << TAPE_##shape)
#define ALL (OF(NODE) | HOSTS)
#define HOSTS (OF(CLUSTER) | OF(CABINETS) | OF(FAT_TREE) | OF(TORUS) | OF(TREE))

static const struct key keys[] = {
    {"speed", SPEED, AT(speed), ALL},
    {"cores", COUNT, AT(cores), HOSTS},
    {"bandwidth", BANDWIDTH, AT(bandwidth), ALL},
    {"latency", TIME, AT(latency_s), ALL},
    {"shared", BANDWIDTH, AT(shared_bandwidth), ALL & ~OF(TORUS)},
    {"loopback", BANDWIDTH, AT(loopback_bandwidth), HOSTS},
    {"loopback_latency", TIME, AT(loopback_latency_s), HOSTS},
    {"backbone", BANDWIDTH, AT(backbone_bandwidth), OF(CLUSTER) | OF(CABINETS)},
    {"backbone_latency", TIME, AT(backbone_latency_s),
     OF(CLUSTER) | OF(CABINETS)},
    {"uplink", BANDWIDTH, AT(uplink_bandwidth), OF(CABINETS)},
    {"uplink_latency", TIME, AT(uplink_latency_s), OF(CABINETS)},
    {"uplinks", COUNT, AT(uplinks), OF(FAT_TREE)},
    {"levels", NAME, 0, OF(TREE)},
    {NULL, COUNT, 0, 0}};

/* The same for each level of a tree. */
static const struct key level_keys[] = {
    {"bandwidth", BANDWIDTH, offsetof(struct tape_platform_level, bandwidth),
     OF(TREE)},
    {"latency", TIME, offsetof(struct tape_platform_level, latency_s),
     OF(TREE)},
    {"levels", NAME, offsetof(struct tape_platform_level, name), OF(TREE)},
    {NULL, COUNT, 0, 0}};

/* Parses a name that levels/network.h and SimGrid accept. */
static int parse_name(const char *s, char *to)
{
	size_t n = sizeof(((struct tape_platform_level *)0)->name);

	if (!*s || strlen(s) >= n || strspn(s, "0123456789") ||
	    s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			"0123456789_")])
		return -1;
	strcpy(to, s);
	return 0;
}

static void set_field(void *object, const struct key *k, const char *s,
		      const char *word)
{
	char *at = (char *)object + k->offset;
	int rc = 0;

	switch (k->value) {
	case SPEED:
		rc = platform_parse_speed(s, (double *)(void *)at);
		break;
	case BANDWIDTH:
		rc = platform_parse_bandwidth(s, (double *)(void *)at);
		break;
	case TIME:
		rc = platform_parse_time(s, (double *)(void *)at);
		break;
	case COUNT:
		*(int *)(void *)at = parse_count(s, word, 65536);
		break;
	case NAME:
		rc = parse_name(s, at);
		break;
	}
	if (rc)
		die_for_word(
		    word, k->value == NAME
			      ? "a name has up to 31 letters, digits and _"
			  : k->value == SPEED ? "a speed is wanted, as 2.5Gf"
			  : k->value == TIME
			      ? "a time is wanted, as 10us"
			      : "a bandwidth is wanted, as 1.25GBps or 10Gbps");
}

static const struct key *find_key(const struct key *k, const char *word,
				  size_t n)
{
	while (k->name &&
	       (strlen(k->name) != n || strncmp(k->name, word, n) != 0))
		k++;
	return k;
}

/* One value for each level with a / between them, or one for all. */
static void set_levels(struct tape_platform *p, const struct key *k,
		       const char *values, const char *word)
{
	char *copy = tape_must(strdup(values)), *rest = copy, *value;
	int i = 0;

	while ((value = strsep(&rest, "/"))) {
		if (i == p->levels)
			die_for_word(word, "the platform has fewer levels");
		set_field(&p->level[i++], k, value, word);
	}
	if (i < p->levels && (i != 1 || k->value == NAME))
		die_for_word(word, "the platform has more levels");
	for (; i < p->levels; i++)
		set_field(&p->level[i], k, copy, word);
	free(copy);
}

static void apply_setting(struct tape_platform *p, char *word)
{
	char *value = strchr(word, '=');
	const struct key *k;

	if (!value)
		die_for_word(word, "KEY=VALUE is wanted");
	if (p->shape == TAPE_TREE) {
		k = find_key(level_keys, word, (size_t)(value - word));
		if (k->name) {
			set_levels(p, k, value + 1, word);
			return;
		}
	}
	k = find_key(keys, word, (size_t)(value - word));
	if (!k->name)
		die_for_word(word, "no such key");
	if (!(k->shapes & 1u << p->shape))
		die_for_word(word, "this platform has no such key");
	set_field(p, k, value + 1, word);
}

/* ---- shapes ---- */

static const char *const names[TAPE_SHAPES] = {
    [TAPE_NODE] = "node",	  [TAPE_CLUSTER] = "cluster",
    [TAPE_CABINETS] = "cabinets", [TAPE_FAT_TREE] = "fat_tree",
    [TAPE_TORUS] = "torus",	  [TAPE_TREE] = "tree"};

/* Limits: routes between cabinets and groups are written one by one. */
enum { CABINETS_MOST = 256, ROUTES_MOST = 1000000 };

/* Sets the levels of a tree with their default names and the values of p. */
static void set_tree(struct tape_platform *p, const char *s, const char *word)
{
	int n[TAPE_PLATFORM_LEVELS];

	p->levels = parse_dimensions(s, word, n, TAPE_PLATFORM_LEVELS);
	for (int i = 0; i < p->levels; i++) {
		struct tape_platform_level *l = &p->level[i];

		l->count = n[i];
		l->latency_s = p->latency_s;
		l->bandwidth = p->bandwidth;
		snprintf(l->name, sizeof l->name, "Switch%d",
			 p->levels - 1 - i);
	}
	strcpy(p->level[p->levels - 1].name, "node");
}

static void set_sizes(struct tape_platform *p, const char *s, const char *word)
{
	int n[TAPE_PLATFORM_DIMENSIONS];

	switch (p->shape) {
	case TAPE_NODE:
		p->cores = parse_count(s, word, 65536);
		break;
	case TAPE_CLUSTER:
		p->hosts = parse_count(s, word, TAPE_PLATFORM_MOST);
		break;
	case TAPE_CABINETS:
	case TAPE_FAT_TREE:
		if (parse_dimensions(s, word, n, 2) != 2)
			die_for_word(word,
				     "two numbers are wanted, as in 3x32");
		p->cabinets = n[0];
		p->hosts = n[1];
		if (n[0] > CABINETS_MOST)
			die_for_word(word, "more than 256 cabinets");
		break;
	case TAPE_TORUS:
		p->dimensions = parse_dimensions(s, word, p->dimension,
						 TAPE_PLATFORM_DIMENSIONS);
		break;
	case TAPE_TREE:
		set_tree(p, s, word);
		break;
	case TAPE_SHAPES:
		break;
	}
}

/* Checks the number of hosts, in double, since it can exceed a long. */
static void check_hosts(const struct tape_platform *p, const char *word)
{
	double n = 1;

	if (p->shape == TAPE_CABINETS || p->shape == TAPE_FAT_TREE)
		n = (double)p->hosts * p->cabinets;
	for (int i = 0; p->shape == TAPE_TORUS && i < p->dimensions; i++)
		n *= p->dimension[i];
	for (int i = 0; p->shape == TAPE_TREE && i < p->levels; i++) {
		n *= p->level[i].count;
		if (i + 1 < p->levels && n * p->level[i].count > ROUTES_MOST)
			die_for_word(word, "too many routes");
	}
	if (n > TAPE_PLATFORM_MOST)
		die_for_word(word, "more than a million hosts");
}

/* Derives missing values from the given ones. */
static void set_derived_values(struct tape_platform *p)
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

/* Checks what levels/network.h rejects, and levels without sense. */
static void check_levels(const struct tape_platform *p, const char *words)
{
	for (int i = 0; i + 1 < p->levels; i++) {
		const struct tape_platform_level *l = &p->level[i];

		if (!strcasecmp(l->name, "Cluster") ||
		    !strcasecmp(l->name, "Machine"))
			die_for_word(l->name,
				     "this name is that of all hosts, or of "
				     "one host");
		for (int k = i + 1; k < p->levels; k++)
			if (!strcasecmp(l->name, p->level[k].name))
				die_for_word(l->name,
					     "two levels have the same name");
		if (l->latency_s < l[1].latency_s)
			die_for_word(words,
				     "latencies are end to end: a wider level "
				     "must not have a shorter latency");
	}
}

void platform_read_words(const char *words, struct tape_platform *p)
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
		die_for_word(word, "node:CORES, cluster:HOSTS, cabinets:CxH, "
				   "fat_tree:CxH, torus:XxYxZ or tree:AxBxC is "
				   "wanted");
	p->shape = (enum tape_shape)shape;
	set_sizes(p, colon + 1, word);
	check_hosts(p, word);
	while ((word = strsep(&rest, ",")))
		apply_setting(p, word);
	set_derived_values(p);
	if (p->shape == TAPE_TREE)
		check_levels(p, words);
	free(copy);
}
