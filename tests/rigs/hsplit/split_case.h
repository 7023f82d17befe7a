/*
 * A random case for libtape-hsplit: hosts with a topology each, processes that
 * are bound to some of it, switches. And what the splits have to be, from the
 * rules as goglin-2018 words them (sections 3.2 and 4.1): on hwloc's objects
 * and their sets of processors, with nothing of the library's.
 */
#ifndef SPLIT_CASE_H
#define SPLIT_CASE_H

#include <hwloc.h>
#include <stdint.h>

enum { RANKS_MAX = 64, HOSTS_MAX = 4, XML_MAX = 1 << 17, PIECES_MAX = 4096 };

struct split_case {
	int ranks, hosts;
	int host[RANKS_MAX];	       /* of each rank */
	char binding[RANKS_MAX][128];  /* TAPE_BINDING */
	char topology[HOSTS_MAX][128]; /* HWLOC_SYNTHETIC */
	int without[HOSTS_MAX]; /* so many processors are taken out of it */
	unsigned without_seed[HOSTS_MAX];
	int network; /* levels of switches; 0: no file */
	int slurm;   /* it is a topology.conf */
	int coords[HOSTS_MAX][4];
	int listed[HOSTS_MAX]; /* the file has that host */
};

/* The same case for the same seed. */
void split_case_make(struct split_case *c, uint64_t seed, int ranks);

/* The file of switches; into path. */
void split_case_network(const struct split_case *c, const char *path);

/*
 * hwloc's variables for that host; a topology that has lost processors is in
 * the file path from then on.
 */
void split_case_host(const struct split_case *c, int host, const char *path);

/* The same host as hwloc's topology. */
hwloc_topology_t whole_topology(const struct split_case *c, int host);

/* Random numbers: xorshift64*, Vigna 2016. */
unsigned split_random(uint64_t *state, unsigned below);

/* A piece of hardware, and the ranks that are bound to it or to less. */
struct piece {
	char type[64];
	uint64_t ranks;
	int depth;    /* below another one that has the same ranks: deeper */
	int hidden;   /* a core's only unit: never a level of its own */
	int nameless; /* nobody asks for it by its type */
};

struct split_rules {
	struct piece piece[PIECES_MAX];
	int n;
};

/* All pieces of a case. */
void split_rules_of(struct split_rules *r, const struct split_case *c);

/*
 * What holds all those ranks, the deepest; NULL never: the cluster does.
 */
const struct piece *split_holds(const struct split_rules *r, uint64_t ranks);

/*
 * With which of the ranks that one is after a split of them; 0: it is bound to
 * nothing below.
 */
uint64_t split_together(const struct split_rules *r, uint64_t ranks, int rank);

/* The same of a split that asks for a type. */
uint64_t split_guided(const struct split_rules *r, uint64_t ranks, int rank,
		      const char *type);

#endif
