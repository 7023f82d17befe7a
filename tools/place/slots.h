/*
 * Slots: places for one rank each, and the tree that their positions make
 * (position.h). What two slots have in common is the deepest node above both;
 * its level is its type. Levels are numbered from 0, the nearest, by how high
 * above slots they are at most.
 */
#ifndef PLACE_SLOTS_H
#define PLACE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "network.h"
#include "tape_reader.h"

/* As many slots as there may be. */
#define PLACE_SLOTS_MOST 1000000

#define PLACE_NONE UINT32_MAX

struct place_slot {
	char *position;
	const char *host; /* within position, host_bytes long; NULL: none */
	int host_bytes;
	int number; /* among the slots of its host, from 0 on */
};

/* A node has two children or more: nodes, or slots by themselves. */
struct place_node {
	uint32_t up, depth, level;
	uint32_t from, to;    /* its slots are sorted[from] ... [to - 1] */
	uint32_t first, next; /* child and sibling nodes, or PLACE_NONE */
};

struct place_level {
	char name[TAPE_LEVEL_MAX];  /* of what is shared: Switch1, Machine */
	char below[TAPE_LEVEL_MAX]; /* of a step below one of these; or "" */
	uint32_t height;
};

struct place_slots {
	size_t n, room;
	struct place_slot *slot;
	uint32_t *sorted; /* slots by position: those of a node together */
	struct place_node *node;
	size_t n_nodes, nodes_room;
	struct place_level *level;
	size_t n_levels, levels_room;
	uint32_t *above; /* nodes above each slot, root first: most_depth */
	uint32_t most_depth;
};

/*
 * Slots of the run of t, that of rank r as number r; network: the switches of
 * hosts are those; or NULL. Dies with a sentence where a rank is nowhere, or
 * the network, called name, has none of the hosts.
 */
void place_slots_read_run(struct place_slots *s, const struct tape_trace *t,
			  const struct tape_network *network, const char *name);

/* So many slots on each host of the network, called name. */
void place_slots_read_hosts(struct place_slots *s,
			    const struct tape_network *network,
			    const char *name, int each);
void place_slots_free(struct place_slots *s);

/* Adds one, and makes the tree when all are there. */
void place_slots_add(struct place_slots *s, const char *position);
void place_slots_build_tree(struct place_slots *s);

/* The deepest node above both, which are not the same. */
static inline const struct place_node *
place_common_node(const struct place_slots *s, uint32_t a, uint32_t b)
{
	const uint32_t *x = s->above + (size_t)a * s->most_depth;
	const uint32_t *y = s->above + (size_t)b * s->most_depth;
	uint32_t d = 1;

	while (d < s->most_depth && x[d] == y[d] && x[d] != PLACE_NONE)
		d++;
	return &s->node[x[d - 1]];
}

#endif
