/*
 * Slots, for one rank each, and the tree of their positions (position.h). The
 * common node of two slots is the deepest node above both. The level of a node
 * is its type. Levels are numbered from 0, the nearest, by their maximum height
 * above the slots.
 */
#ifndef PLACE_SLOTS_H
#define PLACE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "network.h"
#include "tape_reader.h"

/* Maximum number of slots. */
#define PLACE_SLOTS_MOST 1000000

#define PLACE_NONE UINT32_MAX

struct place_slot {
	char *position;
	const char *host; /* part of position, host_bytes long; NULL: no host */
	int host_bytes;
	int number; /* among the slots of its host, from 0 */
};

/* A node has two or more children: nodes or slots. */
struct place_node {
	uint32_t up, depth, level;
	uint32_t from, to;    /* its slots are sorted[from] ... [to - 1] */
	uint32_t first, next; /* child and sibling nodes, or PLACE_NONE */
};

struct place_level {
	/* type of the shared object: Switch1, Machine */
	char name[TAPE_LEVEL_MAX];
	char below[TAPE_LEVEL_MAX]; /* type of the step below; or "" */
	uint32_t height;
};

struct place_slots {
	size_t n, room;
	struct place_slot *slot;
	/* slots by position; those of a node are consecutive */
	uint32_t *sorted;
	struct place_node *node;
	size_t n_nodes, nodes_room;
	struct place_level *level;
	size_t n_levels, levels_room;
	/* nodes above each slot, root first: most_depth for each slot */
	uint32_t *above;
	uint32_t most_depth;
};

/*
 * The slots of the run of t; slot r is that of rank r. network: NULL, or the
 * switches of hosts. Dies if a rank has no position, or if the network, called
 * name, has none of the hosts.
 */
void place_slots_read_run(struct place_slots *s, const struct tape_trace *t,
			  const struct tape_network *network, const char *name);

/*
 * Creates the given number of slots (each) on every host of the network, which
 * is called name.
 */
void place_slots_read_hosts(struct place_slots *s,
			    const struct tape_network *network,
			    const char *name, int each);
void place_slots_free(struct place_slots *s);

/* Add a slot; build the tree when all slots are added. */
void place_slots_add(struct place_slots *s, const char *position);
void place_slots_build_tree(struct place_slots *s);

/* The deepest node above two different slots. */
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
