/*
 * The definitions of an OTF2 archive that a trace needs. OTF2 numbers its
 * definitions in any way and any order, so tables have the numbers as keys.
 * Look-ups of undefined numbers return NULL.
 */
#ifndef OTF2TAPE_DEFINITIONS_H
#define OTF2TAPE_DEFINITIONS_H

#include <otf2/otf2.h>

#include "record.h"
#include "table.h"
#include "position.h"

/* Limit of the definitions of one kind. */
#define DEFINITIONS_MAX (1u << 24)

/* Regions with equal names have the same number (same), from 1. */
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

/* A process. rank: of its first location; -1: none yet. */
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
	int rank, thread; /* rank -1: none */
};

struct group {
	uint64_t *members; /* as indices into world */
	uint32_t n;
	uint32_t is_self; /* each process alone, as MPI_COMM_SELF */
};

/* A communicator. b: the second group, or undefined if it has one group. */
struct comm {
	OTF2_CommRef ref;
	OTF2_StringRef name;
	OTF2_GroupRef a, b;
};

/* A metric. counts: it is an accumulated integer. counter: its number in the
 * trace; -1: none. */
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
	uint64_t *world; /* locations of MPI's ranks */
	size_t n_locations, n_comms, n_world;
	OTF2_AttributeRef site;       /* the attribute "call site" */
};

/* Dies if code is an error. The message names path and what was read. */
void defs_check(OTF2_ErrorCode code, const char *path, const char *what);

/* Reads all definitions. Dies with a message that names path. */
struct definitions *definitions_read(OTF2_Reader *r, const char *path);
void definitions_free(struct definitions *d);

/* Returns "" if the string is not defined. */
const char *definitions_string(const struct definitions *d, OTF2_StringRef s);

const struct region *definitions_region(const struct definitions *d,
					OTF2_RegionRef region);

/*
 * Sets position to the position of a process in the hardware (position.h).
 * Returns 0 if the archive has no host for it, or nothing but its host.
 */
int definitions_position(const struct definitions *d, const struct process *p,
			 char position[TAPE_POSITION_MAX]);

/* Returns the name of a process's host, or "?". */
const char *definitions_host(const struct definitions *d,
			     const struct process *p);

/* Returns the key of a number in a table, which is not 0. */
static inline uint64_t ref_key(uint64_t ref)
{
	return ref + 1 ? ref + 1 : ref;
}

#endif
