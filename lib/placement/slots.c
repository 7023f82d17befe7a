/* See slots.h. */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "growing_array.h"
#include "slots.h"
#include "tool.h"

/* ---- slots ---- */

void place_slots_add(struct place_slots *s, const char *position)
{
	struct place_slot *one;
	size_t end;

	s->slot = tape_must(
	    tape_grow_array(s->slot, &s->room, s->n + 1, sizeof *s->slot));
	one = &s->slot[s->n++];
	*one = (struct place_slot){tape_must(strdup(position)), NULL, 0, 0};
	end = tape_position_find(position, TAPE_LEVEL_MACHINE);
	if (end) {
		size_t from = end;

		while (from && position[from - 1] != '/')
			from--;
		from += strcspn(position + from, ":/");
		if (position[from] == ':' && from + 1 < end) {
			one->host = one->position + from + 1;
			one->host_bytes = (int)(end - from - 1);
		}
	}
}

/* The position of a rank, with the switches of the network. */
static void network_position(const struct tape_network *n, const char *host,
			     const char *given,
			     char position[TAPE_POSITION_MAX])
{
	size_t end = tape_position_find(given, TAPE_LEVEL_MACHINE);
	size_t used;

	tape_network_position(n, host, position);
	used = strlen(position);
	if (end && used + strlen(given + end) < TAPE_POSITION_MAX)
		strcpy(position + used, given + end);
}

void place_slots_read_run(struct place_slots *s, const struct tape_trace *t,
			  const struct tape_network *network, const char *name)
{
	char position[TAPE_POSITION_MAX], shown[300];
	size_t ranks = tape_trace_ranks(t), known = 0;

	memset(s, 0, sizeof *s);
	if (ranks > PLACE_SLOTS_MOST)
		tape_die(TAPE_FAILED, "%zu ranks are more than %d", ranks,
			 PLACE_SLOTS_MOST);
	for (size_t r = 0; r < ranks; r++) {
		const struct tape_rank_info *i = tape_trace_rank(t, (int)r);

		if (!i->position || !i->host)
			tape_die(TAPE_FAILED,
				 "rank %zu is missing from the trace, so its "
				 "host is unknown; give -l FILE and --slots N",
				 r);
		if (network) {
			known += (size_t)tape_network_knows(network, i->host);
			network_position(network, i->host, i->position,
					 position);
			place_slots_add(s, position);
		} else {
			place_slots_add(s, i->position);
		}
	}
	if (network && !known)
		tape_die(TAPE_FAILED,
			 "%s: none of the run's hosts is in this file. With "
			 "--slots the file's hosts are used instead",
			 tape_clean(name, shown, sizeof shown));
	place_slots_build_tree(s);
}

void place_slots_read_hosts(struct place_slots *s,
			    const struct tape_network *network,
			    const char *name, int each)
{
	char position[TAPE_POSITION_MAX], shown[300];
	const char *host;

	memset(s, 0, sizeof *s);
	for (size_t h = 0; (host = tape_network_host(network, h)); h++) {
		tape_network_position(network, host, position);
		for (int i = 0; i < each; i++) {
			if (s->n == PLACE_SLOTS_MOST)
				tape_die(TAPE_FAILED, "%s: more than %d slots",
					 tape_clean(name, shown, sizeof shown),
					 PLACE_SLOTS_MOST);
			place_slots_add(s, position);
		}
	}
	if (!s->n)
		tape_die(TAPE_FAILED, "%s: no hosts in this file",
			 tape_clean(name, shown, sizeof shown));
	place_slots_build_tree(s);
}

void place_slots_free(struct place_slots *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->slot[i].position);
	free(s->slot);
	free(s->sorted);
	free(s->node);
	free(s->level);
	free(s->above);
	memset(s, 0, sizeof *s);
}

/* ---- the tree ---- */

/* Compares positions by steps: a prefix first, then by characters. */
static int compare_positions(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (*a == *b)
		return 0;
	if (!*a || !*b)
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a - (unsigned char)*b;
}

/* For qsort_r, which passes slots. */
static int compare_slots(const void *a, const void *b, void *slots)
{
	const struct place_slots *s = slots;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_positions(s->slot[x].position, s->slot[y].position);

	return order ? order : (x > y) - (x < y);
}

static const char *position_at(const struct place_slots *s, uint32_t i)
{
	return s->slot[s->sorted[i]].position;
}

static uint32_t find_level(struct place_slots *s, const char *type)
{
	for (size_t i = 0; i < s->n_levels; i++)
		if (!strcmp(s->level[i].name, type))
			return (uint32_t)i;
	s->level = tape_must(tape_grow_array(
	    s->level, &s->levels_room, s->n_levels + 1, sizeof *s->level));
	memset(&s->level[s->n_levels], 0, sizeof *s->level);
	strcpy(s->level[s->n_levels].name, type);
	return (uint32_t)s->n_levels++;
}

static uint32_t new_node(struct place_slots *s, uint32_t up, uint32_t from,
			 uint32_t to)
{
	s->node = tape_must(tape_grow_array(s->node, &s->nodes_room,
					    s->n_nodes + 1, sizeof *s->node));
	s->node[s->n_nodes] = (struct place_node){
	    up,	       up == PLACE_NONE ? 0 : s->node[up].depth + 1,
	    0,	       from,
	    to,	       PLACE_NONE,
	    PLACE_NONE};
	return (uint32_t)s->n_nodes++;
}

/*
 * Builds the node of sorted[from ... to - 1] and its children. Returns its
 * height.
 */
static uint32_t build_node(struct place_slots *s, uint32_t up, uint32_t from,
			   uint32_t to)
{
	uint32_t me = new_node(s, up, from, to), height = 0, last = PLACE_NONE;
	size_t shared =
	    tape_position_common(position_at(s, from), position_at(s, to - 1));
	char type[TAPE_LEVEL_MAX], below[TAPE_STEP_MAX], next[TAPE_STEP_MAX];
	uint32_t level, end;

	tape_position_type(position_at(s, from), shared, type);
	level = find_level(s, type);
	s->node[me].level = level;
	if (!*s->level[level].below) {
		tape_position_next(position_at(s, to - 1), shared, below);
		below[strcspn(below, ":")] = '\0';
		strcpy(s->level[level].below, below);
	}
	for (uint32_t i = from; i < to; i = end) {
		uint32_t child = (uint32_t)s->n_nodes, above;

		end = i + 1;
		tape_position_next(position_at(s, i), shared, next);
		if (*next)
			while (end < to) {
				tape_position_next(position_at(s, end), shared,
						   below);
				if (strcmp(below, next) != 0)
					break;
				end++;
			}
		if (end - i == 1)
			continue;
		above = build_node(s, me, i, end);
		if (above > height)
			height = above;
		if (last == PLACE_NONE)
			s->node[me].first = child;
		else
			s->node[last].next = child;
		last = child;
	}
	height++;
	if (s->level[level].height < height)
		s->level[level].height = height;
	if (s->most_depth <= s->node[me].depth)
		s->most_depth = s->node[me].depth + 1;
	return height;
}

/* Numbers the levels by height; levels of equal height keep their order. */
static void number_levels(struct place_slots *s)
{
	struct place_level *sorted =
	    tape_must(calloc(s->n_levels + 1, sizeof *sorted));
	uint32_t *number = tape_must(calloc(s->n_levels + 1, sizeof *number));

	for (size_t i = 0; i < s->n_levels; i++) {
		for (size_t k = 0; k < s->n_levels; k++) {
			uint32_t h = s->level[k].height;

			number[i] += h < s->level[i].height ||
				     (h == s->level[i].height && k < i);
		}
		sorted[number[i]] = s->level[i];
	}
	for (size_t i = 0; i < s->n_nodes; i++)
		s->node[i].level = number[s->node[i].level];
	free(s->level);
	free(number);
	s->level = sorted;
	s->levels_room = s->n_levels + 1;
}

static void fill_above(struct place_slots *s)
{
	size_t bytes = s->n * s->most_depth * sizeof *s->above;

	s->above = tape_must(malloc(bytes));
	memset(s->above, 0xff, bytes);
	/* children have larger numbers than their node */
	for (uint32_t i = 0; i < s->n_nodes; i++)
		for (uint32_t k = s->node[i].from; k < s->node[i].to; k++)
			s->above[(size_t)s->sorted[k] * s->most_depth +
				 s->node[i].depth] = i;
}

/* Numbers the slots of each host. Slots of a host are consecutive. */
static void number_slots(struct place_slots *s)
{
	const struct place_slot *last = NULL;
	int n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct place_slot *p = &s->slot[s->sorted[i]];

		if (!last || !last->host || !p->host ||
		    last->host_bytes != p->host_bytes ||
		    strncmp(last->host, p->host, (size_t)p->host_bytes) != 0)
			n = 0;
		p->number = n++;
		last = p;
	}
}

void place_slots_build_tree(struct place_slots *s)
{
	s->sorted = tape_must(malloc((s->n + 1) * sizeof *s->sorted));
	for (uint32_t i = 0; i < s->n; i++)
		s->sorted[i] = i;
	qsort_r(s->sorted, s->n, sizeof *s->sorted, compare_slots, s);
	if (s->n)
		build_node(s, PLACE_NONE, 0, (uint32_t)s->n);
	number_levels(s);
	fill_above(s);
	number_slots(s);
}
