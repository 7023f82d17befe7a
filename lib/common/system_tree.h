/*
 * The hierarchy of a run's hardware: which ranks share what, by the positions
 * that the trace has (position.h). A trace without positions has hosts only.
 * Memory is of the order of ranks.
 *
 * Levels are numbered from 0, the nearest (two flows of one rank), to the
 * farthest, as they occur in the run: "rank", then types such as Core, L3,
 * Package, Machine, Switch1, Cluster, of which some two ranks have nothing
 * nearer in common.
 */
#ifndef TAPE_SYSTEM_TREE_H
#define TAPE_SYSTEM_TREE_H

#include "tape_reader.h"

struct tape_system;

/*
 * Of a trace, or of positions: of so many ranks, NULL where one is not known,
 * which is then on a host that is called "?". Returns 0 or TAPE_ENOMEM; *h is
 * to be given to tape_system_free, which accepts NULL.
 */
int tape_system_of(struct tape_system **h, const struct tape_trace *t);
int tape_system_new(struct tape_system **h, const char *const *position,
		    int ranks);
void tape_system_free(struct tape_system *h);

int tape_system_levels(const struct tape_system *h);
/* "rank", "Core", "L3", ...: valid as long as h. */
const char *tape_system_name(const struct tape_system *h, int level);

/*
 * The farthest level that is not farther than that type, case ignored: two
 * ranks are on one host if their level is at most that of "Machine". -1: no
 * position has such a step.
 */
int tape_system_within(const struct tape_system *h, const char *type);

/* The nearest level that both ranks share; 0 if a is b. Takes constant time but
 * for the depth. */
int tape_system_level(const struct tape_system *h, int a, int b);

/*
 * Which group of that level rank is in: groups of a level are numbered from 0
 * in the order of their first ranks; of level 0 it is the rank. Two ranks are
 * in one group exactly if their level is not farther. And how many groups a
 * level has, the first rank of one, and what it is called ("Machine:node7", or
 * the whole position down to it if whole; "rank 3", where that rank has nothing
 * so near: it is bound to more); valid as long as h.
 */
int tape_system_group(const struct tape_system *h, int level, int rank);
int tape_system_groups(const struct tape_system *h, int level);
int tape_system_first(const struct tape_system *h, int level, int group);
const char *tape_system_group_name(const struct tape_system *h, int level,
				   int group, int whole);

/*
 * The tree itself: nodes are numbered from 0, Cluster, each after that which it
 * is in (-1: nothing). A node's step is "L3:1"; a rank's node is the end of its
 * position.
 */
int tape_system_nodes(const struct tape_system *h);
int tape_system_parent(const struct tape_system *h, int node);
const char *tape_system_step(const struct tape_system *h, int node);
int tape_system_node(const struct tape_system *h, int rank);

#endif
