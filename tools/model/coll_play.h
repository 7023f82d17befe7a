/*
 * Inside of coll.h: what an algorithm says of its messages. It says message()
 * for each of a step and then step(). What is sent in a step goes at the date
 * that its sender had before the step.
 */
#ifndef TAPE_MODEL_COLL_PLAY_H
#define TAPE_MODEL_COLL_PLAY_H

#include <stddef.h>

#include "coll.h"

struct message {
	int from, to;
	uint64_t bytes;
	double there;
	int together;
};

/* The parent of v in a tree of so many: less than v; 0 is the root. */
typedef int parent_of(int v, int size);

struct play {
	struct tape_collective c;
	/* of the algorithm */
	parent_of *parent;
	int variant;
	uint64_t segment;
	const struct tape_coll_cost *cost;
	/* only the messages are wanted; or NULL */
	void (*message)(void *self, int from, int to, uint64_t bytes);
	void *self;
	double *at;             /* of each member */
	struct message *list;   /* of this step */
	size_t n, room;
	double left;            /* messages that it may still be */
	int rc;
};

void tape_coll_message(struct play *p, int from, int to, uint64_t bytes);
void tape_coll_step(struct play *p);
/* The same, each receiver taking what comes first. */
void tape_coll_step_by_arrival(struct play *p);
/* A message that is a step. */
void tape_coll_one(struct play *p, int from, int to, uint64_t bytes);

/* The greatest power of two up to n. */
int tape_coll_power(int n);

/* ---- coll_tree.c ---- */

parent_of tape_coll_flat, tape_coll_chain, tape_coll_chains, tape_coll_levels,
	tape_coll_binary, tape_coll_binomial, tape_coll_in_order,
	tape_coll_knomial;

/* Along the tree as the operation wants it; variant 1: parents take what comes
 * first. Of 0: to member 0 and down the tree. */
void tape_coll_tree(struct play *p);
void tape_coll_tree_of_0(struct play *p);

/* ---- coll_shift.c ---- */

/* Which variant is which: the table in coll.c. */
void tape_coll_doubling(struct play *p);
void tape_coll_halving(struct play *p);
void tape_coll_rabenseifner(struct play *p);
void tape_coll_bruck(struct play *p);
void tape_coll_ring(struct play *p);
void tape_coll_double_ring(struct play *p);
void tape_coll_neighbours(struct play *p);
void tape_coll_pairs(struct play *p);
void tape_coll_spread(struct play *p);

#endif
