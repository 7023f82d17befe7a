/*
 * Which rank waits for which, at the end of a trace, and what can never end.
 *
 *	struct wait_graph *g = wait_graph_new(states);
 *
 *	for (size_t i = 0; i < g->n_cycles; i++)
 *		use(&g->cycle[i]);
 *	wait_graph_free(g);
 *
 * A rank is stuck if its call cannot end: every rank that could end it is stuck
 * as well, or will make no call any more. The set of these ranks is the
 * greatest one with that property (E. W. Dijkstra and C. S. Scholten,
 * Termination detection for diffusing computations, Inf. Proc. Letters 11,
 * 1980; for waits of the kinds "all of" and "any of": Misra and Chandy, A
 * distributed graph algorithm: knot detection, ACM TOPLAS 4, 1982). It is
 * stable: once true it stays true, so the processes need not be stopped.
 */
#ifndef WHERE_WAIT_GRAPH_H
#define WHERE_WAIT_GRAPH_H

#include "states.h"

/* The members that are in the k-th collective of a communicator, and others. */
struct wait_round {
	uint64_t comm, k;
	int rank;              /* one that is in it; its comm index: */
	uint32_t index;
	int *missing;          /* ranks that have not entered */
	size_t n_missing, n_inside;
	/* two members that are in different collectives; -1: none */
	int odd[2];
	int odd_has_ended;     /* the second one has left its collective */
};

/* Ranks that wait for one another: each for the next, the last for the first.
 */
struct wait_cycle {
	int *rank;
	size_t n;
	int is_certain;
	int may_have_threads;  /* other threads of its ranks may make calls */
};

/* A rank that waits for one that will make no call any more. */
struct wait_lost {
	int rank, ended;
	int is_certain;
};

/* A rank that is in no blocking call, and how many ranks wait for it. */
struct wait_culprit {
	int rank;
	size_t n_waiting;      /* directly or through others */
	size_t n_perhaps;      /* with those that wait for any rank */
};

struct wait_graph {
	const struct where_states *s;
	unsigned char *stuck;  /* of each rank: 1 perhaps, 2 certainly */
	int *next;             /* a stuck or ended rank that it waits for; -1 */
	struct wait_round *round;
	size_t n_rounds;
	size_t *round_of;      /* of each rank, 1 + its index; 0: none */
	struct wait_cycle *cycle;
	size_t n_cycles;
	struct wait_lost *lost;
	size_t n_lost;
	struct wait_culprit *culprit; /* the most waited for first */
	size_t n_culprits;
};

/* s outlives it. Dies when out of memory. */
struct wait_graph *wait_graph_new(const struct where_states *s);
void wait_graph_free(struct wait_graph *g);

/* The rank that the call names as peer; -1: any, none or not known. */
int wait_graph_peer(const struct where_states *s, const struct where_flow *f,
		    int32_t peer);

/* ---- rounds_in_progress.c ---- */

/* Fills the rounds of g. */
void wait_graph_find_rounds(struct wait_graph *g);

/* Returns 1 if the rank is in a call that ends only when the round is whole. */
int wait_round_is_strict(const struct where_states *s,
			 const struct where_flow *f);

/* ---- culprits.c ---- */

/* Fills the culprits of g. */
void wait_graph_find_culprits(struct wait_graph *g);

/* ---- stuck_ranks.c ---- */

/*
 * Finds the ranks whose calls cannot end, of those that are not stuck yet. Sets
 * stuck to value. is_certain: only what is certain counts.
 */
void wait_graph_find_stuck(struct wait_graph *g, int is_certain,
			   unsigned char value);

/* Returns 1 if the rank will make no call any more. */
int where_is_over(const struct where_states *s, int rank);

#endif
