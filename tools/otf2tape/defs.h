/*
 * The definitions of an OTF2 archive that a trace needs. Numbers of OTF2's
 * definitions can be anything and come in any order, so they are keys of
 * tables; whatever is missing is NULL.
 */
#ifndef OTF2TAPE_DEFINITIONS_H
#define OTF2TAPE_DEFINITIONS_H

#include <otf2/otf2.h>

#include "record.h"
#include "table.h"
#include "position.h"

/* More of one kind is no trace. */
#define DEFINITIONS_MAX (1u << 24)

/* Regions with equal names are one: same is its number, from 1. */
struct region {
	OTF2_StringRef name, file;
	uint32_t line, same;
	uint32_t call; /* enum tape_call; 0: a region of the program */
	uint32_t ref;
};

struct node {
	OTF2_StringRef name, kind;
	OTF2_SystemTreeNodeRef parent;
	uint32_t unused;
};

/* A process; rank: that of its first location, -1: none yet. */
struct process {
	OTF2_StringRef name;
	OTF2_SystemTreeNodeRef node;
	int32_t rank;
	uint32_t is_process;
};

struct location {
	OTF2_LocationRef ref;
	OTF2_LocationGroupRef process;
	int is_thread;
	int rank, thread; /* -1: of no rank */
};

struct group {
	uint64_t *members; /* numbers of members of the world */
	uint32_t n;
	uint32_t is_self;  /* of each process alone */
};

/* A communicator; with two groups b is the second one, else undefined. */
struct comm {
	OTF2_CommRef ref;
	OTF2_StringRef name;
	OTF2_GroupRef a, b;
};

/* One that counts up in whole numbers; counter: -1 where a trace has none. */
struct metric {
	OTF2_StringRef name, unit;
	int32_t counter;
	uint32_t counts;
};

/* Metrics that are recorded together. */
struct metric_class {
	OTF2_MetricMemberRef *members;
	uint64_t n;
};

struct definitions {
	uint64_t ticks_per_s;
	struct tape_table strings, regions, nodes, processes, groups;
	struct tape_table metrics, metric_classes;
	const struct metric *counters[TAPE_COUNTERS_MAX];
	uint32_t n_counters, left_metrics;
	struct location *locations;
	struct comm *comms;
	uint64_t *world;              /* locations of MPI's processes */
	size_t n_locations, n_comms, n_world;
	OTF2_AttributeRef site;       /* the attribute "call site" */
};

/* Dies where code is an error: what of path could not be read. */
void defs_check(OTF2_ErrorCode code, const char *path, const char *what);

/* All of the archive's; dies with a sentence that names path. */
struct definitions *definitions_read(OTF2_Reader *r, const char *path);
void definitions_free(struct definitions *d);

/* "" where it is not defined. */
const char *definitions_string(const struct definitions *d, OTF2_StringRef s);

const struct region *definitions_region(const struct definitions *d,
					OTF2_RegionRef region);

/*
 * Where a process is in the hierarchy of the hardware (position.h): 1, or 0 if
 * the archive has no more than hosts, or not one of them.
 */
int definitions_position(const struct definitions *d, const struct process *p,
			 char position[TAPE_POSITION_MAX]);

/* The name of the host that a process runs on, "?" where nobody says. */
const char *definitions_host(const struct definitions *d,
			     const struct process *p);

/* The key of a number in a table: not 0. */
static inline uint64_t ref_key(uint64_t ref)
{
	return ref + 1 ? ref + 1 : ref;
}

#endif
