/*
 * Platforms: files that tell SimGrid what hosts and links there are. Its
 * version 3.32 reads them.
 *
 *	struct tape_platform p = tape_platform_usual;
 *
 *	p.shape = TAPE_CLUSTER;
 *	p.hosts = 16;
 *	tape_platform_write(&p, stdout);
 *
 * A message between two processes of one host takes the loopback of that host;
 * between two hosts, the link of each of them, and what is between. The cores
 * of a node are hosts with one core: each process has its own. In a tree it
 * goes up to the lowest level that holds both, and down again.
 */
#ifndef TAPE_PLATFORM_H
#define TAPE_PLATFORM_H

#include <stdio.h>

#include "smpi_fit.h"

enum tape_shape {
	TAPE_NODE,     /* one host, of which each core is one to SimGrid */
	TAPE_CLUSTER,  /* hosts around one switch */
	TAPE_CABINETS, /* cabinets of hosts around a switch each; one backbone
			* between these */
	TAPE_FAT_TREE, /* the same with uplinks and as many upper switches */
	TAPE_TORUS,    /* each host has a neighbour on both sides */
	TAPE_TREE,     /* levels of groups, and of groups of those */
	TAPE_SHAPES
};

enum { TAPE_PLATFORM_DIMENSIONS = 4, TAPE_PLATFORM_LEVELS = 8 };

/* A level of a tree. The last one's pieces are the hosts. */
struct tape_platform_level {
	int count;     /* pieces in each of the level above */
	char name[32]; /* of the level: its type */
	/* of the whole way between two pieces in one of the level above */
	double latency_s;
	/* of the link of each piece to the one above, in each direction */
	double bandwidth;
};

/* Numbers of hosts are at most that, and each of the other numbers. */
#define TAPE_PLATFORM_MOST 1000000

struct tape_platform {
	enum tape_shape shape;
	int hosts;           /* all; of a cabinet, or on a lower switch */
	int cabinets;        /* or lower switches */
	int uplinks;         /* of each lower switch of a fat tree */
	int dimensions, dimension[TAPE_PLATFORM_DIMENSIONS]; /* of a torus */
	int levels; /* of a tree, widest first */
	struct tape_platform_level level[TAPE_PLATFORM_LEVELS];
	int cores;           /* of a host */
	double speed;        /* operations per second of a core */
	/* of a whole route between two hosts of one switch, or neighbours;
	 * seconds, and bytes per second in each direction */
	double latency_s, bandwidth;
	/* what one host, or core of a node, has for both directions together;
	 * 0: no limit */
	double shared_bandwidth;
	/* 0: as SimGrid has it; a node's are those of its messages */
	double loopback_latency_s, loopback_bandwidth;
	/* between the cabinets: the backbone, and the link of each cabinet;
	 * in a cluster the switch. Bandwidth 0: it limits nothing */
	double backbone_latency_s, backbone_bandwidth;
	double uplink_latency_s, uplink_bandwidth;
	/* lines of XML: settings of SimGrid; or NULL */
	const char *config;
};

/*
 * One host and core of 1e9 operations per second, which is one for each
 * nanosecond; 1 us and 10 Gbit/s.
 */
extern const struct tape_platform tape_platform_usual;

/* The whole file. What cannot be written is for the caller to see. */
void tape_platform_write(const struct tape_platform *p, FILE *out);

/* How many hosts there are. */
long tape_platform_hosts(const struct tape_platform *p);

/*
 * A hostfile for smpirun: the hosts in their order, which is not that of their
 * names, each as often as it has cores.
 */
void tape_platform_write_hosts(const struct tape_platform *p, FILE *out);

/*
 * The levels above each host, as levels/network.h reads them. Returns 0, or -1:
 * the platform has none.
 */
int tape_platform_write_levels(const struct tape_platform *p, FILE *out);

/* One setting: a line of config. */
void tape_platform_setting(FILE *config, const char *id, const char *value);

/* The settings that make SimGrid use s: factors, overheads, limits. */
void tape_platform_settings(const struct tape_smpi *s, FILE *config);

/* ---- between platform.c and platform_tree.c ---- */

void tape_platform_link(FILE *out, const char *id, double bandwidth,
			double latency_s, const char *policy);

/*
 * A cluster without its end, with the attributes that all have. So many links,
 * 1 or 2, make a route. The hosts have numbers from first on.
 */
void tape_platform_cluster(const struct tape_platform *p, const char *id,
			   int links, long first, int hosts, FILE *out);

void tape_platform_tree(const struct tape_platform *p, FILE *out);

/* Hosts below one piece of level - 1; of level 0: all. */
long tape_platform_tree_hosts(const struct tape_platform *p, int level);

/* What the names of a tree's hosts begin with. */
const char *tape_platform_leaf(const struct tape_platform *p);

#endif
