/*
 * Processes that analyse one trace together. Each owns ranks, reads only their
 * flows, and tells others what concerns theirs, by records that are collected
 * and exchanged now and then, by all at once:
 *
 *	tape_peers_put(p, to, KIND, &record, sizeof record);
 *	if (p->swap(p))
 *		...
 *	while ((data = tape_peers_next(p, &at, &kind, &bytes)))
 *		...
 *
 * or from one to another, while neither waits:
 *
 *	if (p->post(p, to))
 *		...
 *	if (p->poll(p, -1, 0, &b) > 0)
 *		while ((data = tape_bytes_next(b, &at, &kind, &bytes)))
 *			...
 *
 * How they are exchanged is not known here: lib/parallel does it with MPI,
 * tools/tapelive by sockets. Nothing that comes out may depend on how ranks are
 * distributed or on when records arrive.
 */
#ifndef TAPE_PEERS_H
#define TAPE_PEERS_H

#include <stddef.h>
#include <stdint.h>

#include "tape_reader.h"

struct tape_bytes {
	char *at;
	size_t n, room;
};

struct tape_peers {
	int me, n;
	int *owner;		/* of each rank of the trace */
	struct tape_bytes *out; /* for each process */
	struct tape_bytes *in;	/* from each, since the last exchange */
	/*
	 * All call it: what is in out of each is in in of the others. Returns
	 * 0 or TAPE_ENOMEM.
	 */
	int (*swap)(struct tape_peers *p);
	/*
	 * What is in out of that process sets off, and comes there after what
	 * was posted before. Returns 0 or TAPE_ENOMEM. NULL: none of this and
	 * the next can be done.
	 */
	int (*post)(struct tape_peers *p, int to);
	/*
	 * What was posted by from, or by anybody where that is -1: by the
	 * process whose number it returns, plus 1; *b is valid until the next
	 * call. 0: nothing has come; waits: never that. Or TAPE_ENOMEM.
	 */
	int (*poll)(struct tape_peers *p, int from, int waits,
		    struct tape_bytes *b);
	uint64_t bytes, swaps, posts; /* given to others so far */
	uint64_t events;	      /* of own flows */
	uint32_t traces;	      /* read so far */
	int busy;		      /* others wait for this process */
	/* of all, where process 0 knows it (lib/profile/parallel_sums.h) */
	uint64_t all_bytes, all_events;
};

/* Where one reads what came; zeroed at first. */
struct tape_peers_at {
	int from;
	size_t byte;
};

/*
 * Deals the ranks of t: stretches of them, of about as many bytes of events;
 * of a trace that is followed of as many ranks, as nobody knows what will come.
 * Returns 0 or TAPE_ENOMEM.
 */
int tape_peers_partition(struct tape_peers *p, const struct tape_trace *t);

static inline int tape_peers_owns_rank(const struct tape_peers *p, int rank)
{
	return !p || p->owner[rank] == p->me;
}

/*
 * Kinds of records: where those of each library begin. Each has the numbers up
 * to the next, so that the records of two of them can be in one exchange.
 */
enum tape_peers_kinds {
	TAPE_KINDS_OF_REPLAY = 1,     /* messages and collectives */
	TAPE_KINDS_OF_PACING = 10,    /* progress of flows */
	TAPE_KINDS_OF_WAITS = 20,
	TAPE_KINDS_OF_CLOCKS_NOW = 30,
	TAPE_KINDS_OF_GUEST = 40,     /* not of lib/waits (analysis.h) */
	TAPE_KINDS_OF_PARALLEL = 50,  /* lib/parallel itself */
	TAPE_KINDS_OF_CORRECT = 60,
	TAPE_KINDS_OF_PROFILE = 100,
	TAPE_KINDS_OF_CLOCKS = 150,
	TAPE_KINDS_OF_TICO = 170,
	TAPE_KINDS_OF_WHERE = 190,
	TAPE_KINDS_END = 200
};

/* What goes in front of each record, bytes. */
enum { TAPE_PEERS_HEAD = 8 };

/* Adds a record. Returns 0 or TAPE_ENOMEM. */
int tape_bytes_put(struct tape_bytes *b, unsigned kind, const void *data,
		   size_t bytes);

/* The next one from *at on, 0 at first, as tape_peers_next has it. */
const void *tape_bytes_next(const struct tape_bytes *b, size_t *at,
			    unsigned *kind, size_t *bytes);

/* Adds a record for another process, or this one. Returns 0 or TAPE_ENOMEM. */
int tape_peers_put(struct tape_peers *p, int to, unsigned kind,
		   const void *data, size_t bytes);

/*
 * The next record that came, those of process 0 first, each in order; valid
 * until the next exchange, at no certain alignment. NULL: there are no more.
 */
const void *tape_peers_next(const struct tape_peers *p,
			    struct tape_peers_at *at, unsigned *kind,
			    size_t *bytes);

#endif
