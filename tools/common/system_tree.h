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

/* Returns 0 or TAPE_ENOMEM; *h is to be given to tape_system_free. */
int tape_system_of(struct tape_system **h, const struct tape_trace *t);
void tape_system_free(struct tape_system *h);

int tape_system_levels(const struct tape_system *h);
/* "rank", "Core", "L3", ...: valid as long as h. */
const char *tape_system_name(const struct tape_system *h, int level);

/* The nearest level that both ranks share; 0 if a is b. Takes constant time but
 * for the depth. */
int tape_system_level(const struct tape_system *h, int a, int b);

/*
 * Which group of that level rank is in: groups of a level are numbered from 0
 * in the order of their first ranks; of level 0 it is the rank. And how many
 * groups a level has, and what a group is called ("Machine:node7", or the
 * whole position down to it if whole).
 */
int tape_system_group(const struct tape_system *h, int level, int rank);
int tape_system_groups(const struct tape_system *h, int level);
const char *tape_system_group_name(const struct tape_system *h, int level,
				   int group, int whole);

#endif
