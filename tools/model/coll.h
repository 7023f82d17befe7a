/*
 * Collective operations from inside: when each member leaves, by the messages
 * that the MPI library's algorithm sends between them.
 *
 *	c.library = TAPE_COLL_OPEN_MPI; c.op = TAPE_COLL_BCAST; ...
 *	way = tape_coll_choose(&c, &segment);
 *	if (way != TAPE_COLL_UNKNOWN)
 *		tape_coll_exits(&c, way, segment, &cost, entry, exit);
 *
 * The members of c are numbered from 0. Dates are ns after any one date. A
 * member is at one date at a time: a message goes when its sender has got so
 * far, is there a transit later, and then its receiver takes it, which takes
 * a while. A rendezvous begins when both have got so far, and its sender waits
 * until it is there. Nothing else takes time: what a library computes or copies
 * is the same in two runs, and so cancels out where only the difference counts.
 *
 * Pure functions; nothing is kept.
 */
#ifndef TAPE_MODEL_COLL_H
#define TAPE_MODEL_COLL_H

#include <stdint.h>

enum tape_coll_op {
	TAPE_COLL_BARRIER,
	TAPE_COLL_BCAST,
	TAPE_COLL_SCATTER,
	TAPE_COLL_GATHER,
	TAPE_COLL_REDUCE,
	TAPE_COLL_ALLGATHER,
	TAPE_COLL_ALLREDUCE,
	TAPE_COLL_ALLTOALL,
	TAPE_COLL_REDUCE_SCATTER,
	TAPE_COLL_SCAN,          /* and exscan */
	TAPE_COLL_OPS
};

/* Whose choice among the algorithms it is. */
enum tape_coll_library {
	TAPE_COLL_OPEN_MPI,      /* 4.1, component tuned, as it comes */
	TAPE_COLL_SMPI,          /* SimGrid 3.32, selector ompi */
	TAPE_COLL_LIBRARIES
};

struct tape_collective {
	enum tape_coll_library library;
	enum tape_coll_op op;
	int size;                /* members, 1 or more */
	int root;                /* of those that have one; else 0 */
	/* of the vector (bcast, reduce, allreduce, scan; of all members'
	 * parts together, reduce_scatter), or of one block (scatter, gather,
	 * allgather, alltoall) */
	uint64_t bytes;
	/* of SMPI, which does these in other ways: */
	int vector;              /* each member has a size of its own; bytes is
				  * the mean */
	int later;               /* it is non-blocking */
	uint64_t element;        /* of what is reduced; 0: 8 where it can be,
				  * else 1 */
	/* The host of each member, by number, where no broadcast of this
	 * communicator has asked yet who shares one; else NULL. */
	const int *hosts;
};

/*
 * Trees go down from the root (bcast, scatter), up to it (gather, reduce), or
 * up and then down again (barrier, allreduce); v is a member's number counted
 * from the root.
 */
enum tape_coll_way {
	TAPE_COLL_UNKNOWN,
	TAPE_COLL_FLAT,          /* the root and each other, in order */
	TAPE_COLL_ARRIVAL,       /* the same, in the order of arrival */
	TAPE_COLL_CHAIN,         /* v and v + 1 */
	TAPE_COLL_LEVELS,        /* binary, numbered level by level, each
				  * parent's children half a level apart */
	TAPE_COLL_BINOMIAL,      /* v and v without its highest bit */
	TAPE_COLL_IN_ORDER,      /* binomial: without its lowest bit */
	TAPE_COLL_KNOMIAL,       /* the same in base 4 */
	/* exchanges at distances 1, 2, 4 ..., those beyond a power of two
	 * standing back: the last ones, or every other of the first ones */
	TAPE_COLL_DOUBLING_LAST,
	TAPE_COLL_DOUBLING,
	TAPE_COLL_HALVING,       /* distances ..., 4, 2, 1 of halves */
	TAPE_COLL_RABENSEIFNER,  /* halves, then doubles; pairs first share */
	TAPE_COLL_BRUCK,         /* dissemination: to v + 1, 2, 4 ... */
	TAPE_COLL_RING,          /* to v + 1, size - 1 times, or twice that */
	TAPE_COLL_DOUBLE_RING,   /* a token, twice around */
	TAPE_COLL_NEIGHBOURS,    /* pairs, left and right in turn */
	TAPE_COLL_PAIRS,         /* to v + k, from v - k */
	TAPE_COLL_SPREAD,        /* everyone to everyone at once */
	TAPE_COLL_TWO_PARTS,     /* to a root and from there, each as chosen */
	/* SimGrid's own, where what they wait for is not as above: first those
	 * with a root */
	TAPE_COLL_SMPI_FLAT,     /* one after the other, in order of number */
	TAPE_COLL_SMPI_AT_ONCE,  /* all others at once */
	TAPE_COLL_SMPI_HEAVY,    /* the same by blocking sends */
	TAPE_COLL_SMPI_BINOMIAL, /* without its lowest bit; the most distant
				  * child first, of blocks the nearest */
	TAPE_COLL_SMPI_KNOMIAL,  /* the same in base 4, those of a distance at
				  * once */
	TAPE_COLL_SMPI_CHAIN_0,  /* to member 0, and down in pieces, */
	TAPE_COLL_SMPI_BINARY_0, /* or from v to 2v + 1, 2v + 2 */
	TAPE_COLL_SMPI_PIPELINE, /* a chain, two pieces at a time */
	TAPE_COLL_SMPI_SCATTERED, /* parts to all, then doubling */
	TAPE_COLL_SMPI_CHAIN,    /* reductions up trees, two pieces at a time */
	TAPE_COLL_SMPI_CHAINS,   /* size / 2 chains of like length */
	TAPE_COLL_SMPI_LEVELS,
	TAPE_COLL_SMPI_IN_ORDER,
	TAPE_COLL_SMPI_SYNC,     /* the root asks each for its block */
	/* without a root */
	TAPE_COLL_SMPI_LAST,     /* doubling, the last ones standing back */
	TAPE_COLL_SMPI_DOUBLING,
	TAPE_COLL_SMPI_RAB,      /* Rabenseifner's, pairs first send all */
	TAPE_COLL_SMPI_RING_SUM, /* what does not divide is summed once more */
	TAPE_COLL_SMPI_HALVING,
	TAPE_COLL_SMPI_BUTTERFLY, /* halves at distances 1, 2, 4 ..., and each
				  * block is sent to its member */
	TAPE_COLL_SMPI_RING_PARTS,
	TAPE_COLL_SMPI_TWO_FLAT, /* to member 0 at once, and from there */
	TAPE_COLL_SMPI_REST,     /* doubling; who has gives to who has not */
	TAPE_COLL_SMPI_BRUCK,
	TAPE_COLL_SMPI_SHIFTS,   /* to v + k, from v - k */
	TAPE_COLL_SMPI_XOR,      /* with v ^ k; size a power of two */
	TAPE_COLL_SMPI_NEIGHBOURS,
	TAPE_COLL_SMPI_RING,     /* to v + 1, from v - 1 */
	TAPE_COLL_SMPI_GATHER_0, /* to member 0, and a broadcast of all */
	TAPE_COLL_SMPI_REVERSE,  /* everyone to everyone at once, receives
				  * upwards, sends downwards */
	TAPE_COLL_SMPI_UPWARDS,  /* both upwards */
	TAPE_COLL_SMPI_BY_PEER,  /* a send and a receive of each */
	TAPE_COLL_SMPI_SCAN,     /* everyone to each that comes after it */
	TAPE_COLL_WAYS
};

/* What messages between two members cost. */
struct tape_coll_cost {
	/* ns; *together: one of those below (0 before) */
	double (*transit)(const void *of, int from, int to, uint64_t bytes,
			  int *together);
	/* ns, to take a message that is there, and to compute with it: DC and
	 * dcalc (Maillet 1996, 6.2.3) */
	double (*take)(const void *of, int from, int to, uint64_t bytes);
	const void *of;
	/* ns, to send, before the message goes: by a call that waits for it or
	 * not; NULL: none */
	double (*busy)(const void *of, int from, int to, uint64_t bytes,
		       int blocking);
};

/* Values of *together: how long a message waits. */
enum {
	TAPE_COLL_EAGER,         /* it goes when it is sent */
	TAPE_COLL_RENDEZVOUS,    /* when it is received, too; and its sender
				  * waits until it is there */
	TAPE_COLL_DETACHED       /* when it is received; its sender goes on */
};

/*
 * More messages of so many members than these are not played: 64 size
 * log2(size), and 2^18 at least.
 */
double tape_coll_max_messages(int size);

/*
 * The algorithm that the library takes; UNKNOWN where that is none of ours.
 * *segment: large vectors go in pieces of so many bytes; 0: as a whole. That
 * operators are commutative and elements of 8 bytes is taken for granted: no
 * trace tells.
 */
enum tape_coll_way tape_coll_choose(const struct tape_collective *c,
				    uint64_t *segment);

/*
 * When each member leaves, of those that entered at entry[]; both of c->size,
 * and may be the same. Returns 0; TAPE_ENOMEM; or 1 where these would be more
 * messages than tape_coll_most(size): then exit is not written.
 */
int tape_coll_exits(const struct tape_collective *c, enum tape_coll_way way,
		    uint64_t segment, const struct tape_coll_cost *cost,
		    const double *entry, double *exit);

/*
 * The messages that it sends, one call of message for each: members' numbers,
 * without dates. Returns 0; TAPE_ENOMEM; or 1 where these would be more than
 * 4 size^2 + 64 size log2(size): then so many were told.
 */
int tape_coll_messages(
    const struct tape_collective *c, enum tape_coll_way way, uint64_t segment,
    void (*message)(void *self, int from, int to, uint64_t bytes), void *self);

#endif
