/* Random cases; see split_case.h. */
#include "split_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned split_random(uint64_t *s, unsigned below)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return (unsigned)((*s * 0x2545f4914f6cdd1du) >> 33) % below;
}

/* A host of at most 48 units; returns how many. */
static int make_topology(char *text, uint64_t *s)
{
	static const char *const levels[] = {"pack", "die", "group", "l3",
					     "l2",   "l1d", "core",  "pu"};
	int units = 1, n = 0, numa = (int)split_random(s, 5);

	for (int i = 0; i < 8; i++) {
		int most = 48 / units, arity = 1;

		if (i < 7 && split_random(s, 3) == 0)
			continue;
		if (most > 1 && split_random(s, 3))
			arity = 1 + (int)split_random(
					s, most < 4 ? (unsigned)most : 4);
		units *= arity;
		n += sprintf(text + n, "%s%s:%d", n ? " " : "", levels[i],
			     arity);
		if (numa == i && i < 4)
			n += sprintf(text + n, " [numa]");
		else if (numa == i - 1 && split_random(s, 2) && i < 4)
			n += sprintf(text + n, " [numa] [numa]");
	}
	return units;
}

/* To a unit, to some that are side by side or apart, to all, to none of it. */
static void make_binding(char *text, uint64_t *s, int units)
{
	int n = 0, from = (int)split_random(s, (unsigned)units), to = from;

	switch (split_random(s, 12)) {
	case 0:
		strcpy(text, "all");
		return;
	case 1:
		sprintf(text, "0-%d", units + 100);
		return;
	case 2: /* what is not there binds to nothing */
		sprintf(text, "%d,%d", units + 3, units + 70);
		return;
	case 3:
	case 4:
	case 5:
		to += (int)split_random(s, (unsigned)(units - from));
		sprintf(text, "%d-%d", from, to);
		return;
	case 6:
		for (int k = 1 + (int)split_random(s, 4); k; k--)
			n += sprintf(text + n, "%s%u", n ? "," : "",
				     split_random(s, (unsigned)units));
		return;
	case 7: /* a block, as launchers bind to a piece */
		to = 1 << split_random(s, 4);
		from -= from % to;
		sprintf(text, "%d-%d", from, from + to - 1);
		return;
	default:
		sprintf(text, "%d", from);
		return;
	}
}

static void make_network(struct split_case *c, uint64_t *s)
{
	c->network = (int)split_random(s, 4);
	c->slurm = c->network && split_random(s, 3) == 0;
	if (c->slurm) /* leaves, and what is above them */
		c->network = 2;
	for (int h = 0; h < HOSTS_MAX; h++) {
		c->listed[h] = !h || split_random(s, 8);
		for (int l = 0; l < 4; l++)
			c->coords[h][l] = (int)split_random(s, 2);
	}
}

void split_case_make(struct split_case *c, uint64_t seed, int ranks)
{
	uint64_t s = (seed + 1) * 0x9e3779b97f4a7c15u;
	int units[HOSTS_MAX];
	int alike, uniform;

	memset(c, 0, sizeof *c);
	for (int i = 0; i < 4; i++)
		split_random(&s, 2);
	c->ranks = ranks;
	c->hosts = 1 + (int)split_random(&s, HOSTS_MAX);
	alike = split_random(&s, 2) == 0;
	for (int h = 0; h < c->hosts; h++) {
		if (h && alike) {
			strcpy(c->topology[h], c->topology[0]);
			units[h] = units[0];
		} else {
			units[h] = make_topology(c->topology[h], &s);
		}
		if (split_random(&s, 3) == 0) {
			c->without[h] =
			    (int)split_random(&s, (unsigned)(units[h] + 1) / 2);
			c->without_seed[h] = split_random(&s, 1u << 30);
		}
	}
	make_network(c, &s);
	/* in blocks, in turn, or anyhow; one unit each, or anyhow */
	alike = (int)split_random(&s, 3);
	uniform = split_random(&s, 4) == 0;
	for (int r = 0; r < ranks; r++) {
		int h = alike == 0 ? r * c->hosts / ranks
			: alike == 1
			    ? r % c->hosts
			    : (int)split_random(&s, (unsigned)c->hosts);

		c->host[r] = h;
		if (uniform)
			sprintf(c->binding[r], "%d", r % units[h]);
		else
			make_binding(c->binding[r], &s, units[h]);
	}
}

/* The switches of a level that are under one of the level above, by name. */
static void write_slurm(const struct split_case *c, FILE *f)
{
	for (int leaf = 0; leaf < 4; leaf++) {
		int n = 0;

		for (int h = 0; h < c->hosts; h++) {
			if (!c->listed[h] ||
			    c->coords[h][0] * 2 + c->coords[h][1] != leaf)
				continue;
			if (!n++)
				fprintf(f, "SwitchName=leaf%d Nodes=h%d", leaf,
					h);
			else
				fprintf(f, ",h%d", h);
		}
		if (n)
			fprintf(f, "\n");
	}
	for (int top = 0; top < 2; top++) {
		int n = 0, of[2] = {0};

		for (int h = 0; h < c->hosts; h++)
			if (c->listed[h] && c->coords[h][0] == top)
				of[c->coords[h][1]] = 1;
		for (int leaf = 0; leaf < 2; leaf++)
			if (of[leaf] && !n++)
				fprintf(f, "SwitchName=top%d Switches=leaf%d",
					top, top * 2 + leaf);
			else if (of[leaf])
				fprintf(f, ",leaf%d", top * 2 + leaf);
		if (n)
			fprintf(f, "\n");
	}
}

void split_case_network(const struct split_case *c, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f) {
		perror(path);
		exit(1);
	}
	if (c->slurm) {
		write_slurm(c, f);
		fclose(f);
		return;
	}
	fprintf(f, "# a case\nlevels");
	for (int l = 0; l < c->network; l++)
		fprintf(f, " Switch%d", c->network - l);
	fprintf(f, "\n");
	for (int h = 0; h < c->hosts; h++) {
		if (!c->listed[h])
			continue;
		fprintf(f, "h%d", h);
		for (int l = 0; l < c->network; l++)
			fprintf(f, " %d", c->coords[h][l]);
		fprintf(f, "\n");
	}
	fclose(f);
}

hwloc_topology_t whole_topology(const struct split_case *c, int host)
{
	uint64_t s = c->without_seed[host] * 2654435761u + 1;
	hwloc_topology_t t;
	hwloc_bitmap_t left;

	hwloc_topology_init(&t);
	hwloc_topology_set_synthetic(t, c->topology[host]);
	hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(t, HWLOC_OBJ_GROUP,
				       HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
	if (hwloc_topology_load(t)) {
		fprintf(stderr, "hwloc: \"%s\"?\n", c->topology[host]);
		exit(1);
	}
	if (!c->without[host])
		return t;
	left = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(t));
	for (int i = 0; i < c->without[host]; i++)
		hwloc_bitmap_clr(
		    left,
		    split_random(&s, (unsigned)hwloc_bitmap_weight(left)));
	if (!hwloc_bitmap_iszero(left))
		hwloc_topology_restrict(t, left, 0);
	hwloc_bitmap_free(left);
	return t;
}

void split_case_host(const struct split_case *c, int host, const char *path)
{
	hwloc_topology_t t;

	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	if (!c->without[host]) {
		setenv("HWLOC_SYNTHETIC", c->topology[host], 1);
		return;
	}
	t = whole_topology(c, host);
	if (hwloc_topology_export_xml(t, path, 0))
		exit(1);
	hwloc_topology_destroy(t);
	setenv("HWLOC_XMLFILE", path, 1);
}
