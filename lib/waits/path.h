/*
 * The critical path: the sequence of work that made the run as long as it was.
 * Yang and Miller (ICDCS 1988); found backwards from the flow that ends last:
 * along what it did, and where it waited on along what it waited for
 * (Boehme et al., IPDPS 2012). What is on it, made shorter, shortens the run,
 * until another path is the longest.
 *
 * G(c), the time of an activity c on the path, is the most that the run would
 * gain if c took no time. Its imbalance is max(0, G(c) - mean over all flows of
 * the time of c): what the run would gain if all did an equal part of c.
 */
#ifndef TAPE_PATH_H
#define TAPE_PATH_H

#include "analysis.h"

struct tape_path_place {
	uint32_t activity;
	int64_t path_ns;      /* G */
	int64_t all_ns;       /* over all flows, waiting left out */
	double imbalance_ns;
};

/* The path is on that flow from from_ns to to_ns. */
struct tape_path_piece {
	size_t flow;
	int64_t from_ns, to_ns;
};

struct tape_path {
	struct tape_path_place *place; /* the most on the path first */
	size_t n;
	int64_t *flow_ns;              /* of the path, on each flow */
	size_t flows, last;            /* how many; where it ends */
	int64_t from_ns, to_ns;
	int64_t moves;                 /* from flow to flow */
};

/*
 * After the last item of a. piece, unless NULL, is told the pieces, the last
 * one first. Returns 0 or TAPE_ENOMEM; *p is to be given to tape_path_free in
 * any case. A trace without events has no places and to_ns = from_ns.
 */
int tape_path_find(struct tape_analysis *a,
		   void (*piece)(void *, const struct tape_path_piece *),
		   void *own, struct tape_path *p);
void tape_path_free(struct tape_path *p);

#endif
