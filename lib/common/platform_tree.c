/*
 * Trees: see platform.h. A zone of SimGrid's for each group; the innermost are
 * clusters. A gateway has to be inside of a zone below, so each zone has one
 * more with nothing but its router.
 */
#include "platform.h"

const char *tape_platform_leaf(const struct tape_platform *p)
{
	return p->level[p->levels - 1].name;
}

long tape_platform_tree_hosts(const struct tape_platform *p, int level)
{
	long n = 1;

	for (int i = level; i < p->levels; i++)
		n *= p->level[i].count;
	return n;
}

/* Half of what this level adds to the way between two hosts. */
static double link_latency_s(const struct tape_platform *p, int level)
{
	const struct tape_platform_level *l = &p->level[level];

	return (l->latency_s - (level + 1 < p->levels ? l[1].latency_s : 0)) /
	       2;
}

/* Its name and number among all of that level. */
static void name_group(const struct tape_platform *p, int level, long index,
		       char id[64])
{
	if (level)
		snprintf(id, 64, "%s-%ld", p->level[level - 1].name, index);
	else
		snprintf(id, 64, "site");
}

static void write_leaf_group(const struct tape_platform *p, int level,
			     long index, FILE *out)
{
	struct tape_platform leaf = *p;
	const struct tape_platform_level *l = &p->level[level];
	char id[64];

	leaf.latency_s = l->latency_s;
	leaf.bandwidth = l->bandwidth;
	name_group(p, level, index, id);
	tape_platform_cluster(&leaf, id, 2, index * l->count, l->count, out);
	if (level)
		fprintf(out, "\n    router_id=\"router-%s\"", id);
	fputs("/>\n", out);
}

static void write_zone_route(FILE *out, const char *from, const char *to,
			     const char *end)
{
	fprintf(out,
		"    <zoneRoute src=\"%s\" dst=\"%s%s\" "
		"gw_src=\"router-%s\" gw_dst=\"router-%s\">"
		"<link_ctn id=\"up-%s\" direction=\"UP\"/>",
		from, end, to, from, to, from);
	if (!*end)
		fprintf(out, "<link_ctn id=\"up-%s\" direction=\"DOWN\"/>", to);
	fputs("</zoneRoute>\n", out);
}

static void write_group_routes(const struct tape_platform *p, int level,
			       long index, FILE *out)
{
	long n = p->level[level].count;
	char id[64], from[64], to[64];

	name_group(p, level, index, id);
	for (long a = 0; a < n; a++) {
		name_group(p, level + 1, index * n + a, from);
		if (level)
			write_zone_route(out, from, id, "out-");
		for (long b = a + 1; b < n; b++) {
			name_group(p, level + 1, index * n + b, to);
			write_zone_route(out, from, to, "");
		}
	}
}

/* The group with that index among those whose parts are of that level. */
static void write_group(const struct tape_platform *p, int level, long index,
			FILE *out)
{
	const struct tape_platform_level *l = &p->level[level];
	char id[64], part[80];

	if (level == p->levels - 1) {
		write_leaf_group(p, level, index, out);
		return;
	}
	name_group(p, level, index, id);
	fprintf(out, "  <zone id=\"%s\" routing=\"Full\">\n", id);
	for (long k = 0; k < l->count; k++) {
		char name[64];

		write_group(p, level + 1, index * l->count + k, out);
		name_group(p, level + 1, index * l->count + k, name);
		snprintf(part, sizeof part, "up-%s", name);
		tape_platform_link(out, part, l->bandwidth,
				   link_latency_s(p, level), "SPLITDUPLEX");
	}
	if (level)
		fprintf(out,
			"  <zone id=\"out-%s\" routing=\"Full\"><router "
			"id=\"router-%s\"/></zone>\n",
			id, id);
	write_group_routes(p, level, index, out);
	fputs("  </zone>\n", out);
}

void tape_platform_tree(const struct tape_platform *p, FILE *out)
{
	write_group(p, 0, 0, out);
}

/* ---- levels ---- */

static void tree_levels(const struct tape_platform *p, FILE *out)
{
	int above = p->levels - 1;
	long in_group = p->level[above].count;
	long groups = tape_platform_tree_hosts(p, 0) / in_group;

	fputs("levels", out);
	for (int i = 0; i < above; i++)
		fprintf(out, " %s", p->level[i].name);
	fputs("\ndims", out);
	for (int i = 0; i < above; i++)
		fprintf(out, " %d", p->level[i].count);
	fputc('\n', out);
	for (long g = 0; g < groups; g++) {
		long below = groups;

		fprintf(out, in_group > 1 ? "%s-[%ld-%ld]" : "%s-%ld",
			tape_platform_leaf(p), g * in_group,
			(g + 1) * in_group - 1);
		for (int i = 0; i < above; i++) {
			below /= p->level[i].count;
			fprintf(out, " %ld", g / below % p->level[i].count);
		}
		fputc('\n', out);
	}
}

int tape_platform_write_levels(const struct tape_platform *p, FILE *out)
{
	if (p->shape == TAPE_TREE && p->levels > 1) {
		tree_levels(p, out);
		return 0;
	}
	if (p->shape != TAPE_CABINETS && p->shape != TAPE_FAT_TREE)
		return -1;
	fprintf(out, "levels Switch1\ndims %d\n", p->cabinets);
	for (long c = 0; c < p->cabinets; c++)
		if (p->shape == TAPE_CABINETS)
			fprintf(out, "cabinet%ld-[0-%d] %ld\n", c, p->hosts - 1,
				c);
		else
			fprintf(out, "node-[%ld-%ld] %ld\n", c * p->hosts,
				(c + 1) * p->hosts - 1, c);
	return 0;
}
