/*
 * Classes of distance between two ranks, as far as the time of a message
 * depends on it (doc/models.md, "Distances"). No formulas.
 *
 *	self      a rank and itself
 *	l3        they share a cache
 *	package   a package (socket)
 *	shm       a host
 *	switch    the switch of their hosts
 *	net       no more than the network
 *
 * distances.h finds the distances of a run.
 */
#ifndef TAPE_MODEL_DISTANCE_H
#define TAPE_MODEL_DISTANCE_H

enum tape_distance {
	TAPE_SELF,
	TAPE_CACHE,
	TAPE_PACKAGE,
	TAPE_SHM,
	TAPE_SWITCH,
	TAPE_NET,
	TAPE_DISTANCES
};

/* The transport that a class is part of: self, shm or net. */
static inline enum tape_distance tape_transport(enum tape_distance d)
{
	switch (d) {
	case TAPE_CACHE:
	case TAPE_PACKAGE:
	case TAPE_SHM:
		return TAPE_SHM;
	case TAPE_SWITCH:
	case TAPE_NET:
		return TAPE_NET;
	case TAPE_SELF:
	case TAPE_DISTANCES:
		break;
	}
	return TAPE_SELF;
}

/*
 * The k-th substitute (from 0) for a class without data: first the wider
 * classes of its transport, then the nearer ones. TAPE_DISTANCES: no more.
 */
enum tape_distance tape_distance_substitute(enum tape_distance d, int k);

#endif
