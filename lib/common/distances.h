/*
 * How far the ranks of a run are from each other, by their positions
 * (catalogue/position.h):
 *
 *	l3        they share an L3 cache; where no rank has any, an L2 that
 *	          several cores share
 *	package   a step Package
 *	shm       the host
 *	switch    the last step before Machine, if not Cluster
 *	net       none of these
 *
 * A run has l3 and package only if its pairs within hosts are not all of one
 * class, else they are shm; and switch only if it also has pairs that share no
 * switch, else they are net. So of a trace without positions nothing is told
 * apart but self, shm and net.
 *
 *	tape_distances_trace(&x, trace);
 *	d = tape_distance_between(&x, from, to);
 */
#ifndef TAPE_DISTANCES_H
#define TAPE_DISTANCES_H

#include "distance.h"
#include "tape_reader.h"

/* All ranks; to be set by tape_distances_of. */
struct tape_distances {
	int *host; /* a number below that of ranks, the same for a host's */
	/* and of the ranks that share them; else own numbers */
	struct tape_clusters {
		int cache, package, leaf;
	} * near;
	int inside, outside; /* whether pairs within hosts, and other pairs, are
				distinguished */
	/* what a class is by the positions: those of shm and net may be of a
	 * nearer class, all of them */
	enum tape_distance real[TAPE_DISTANCES];
	int has[TAPE_DISTANCES]; /* two ranks are that far from each other */
};

/*
 * host[r] names the host of rank r, or is NULL: it has one of its own;
 * position[r] is its position, or NULL. Takes n log n comparisons. Returns 0 or
 * -1: out of memory. *x is to be given to tape_distances_free, in any case.
 */
int tape_distances_of(struct tape_distances *x, size_t n,
		      const char *const *host, const char *const *position);
void tape_distances_free(struct tape_distances *x);

/* The same of the ranks of a trace. Dies when out of memory. */
void tape_distances_trace(struct tape_distances *x, const struct tape_trace *t);

/* Of two ranks. */
static inline enum tape_distance
tape_distance_between(const struct tape_distances *x, int a, int b)
{
	if (a == b)
		return TAPE_SELF;
	if (x->host[a] == x->host[b]) {
		if (!x->inside)
			return TAPE_SHM;
		if (x->near[a].cache == x->near[b].cache)
			return TAPE_CACHE;
		return x->near[a].package == x->near[b].package ? TAPE_PACKAGE
								: TAPE_SHM;
	}
	return x->outside && x->near[a].leaf == x->near[b].leaf ? TAPE_SWITCH
								: TAPE_NET;
}

#endif
