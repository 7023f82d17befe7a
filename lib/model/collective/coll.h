/*
 * Collective operations by algorithm: the time at which each member leaves, by
 * the messages that the MPI library's algorithm sends between members. The
 * model of messages: Maillet 1996, 6.2.3; the rest: doc/perturbation.md, "By
 * algorithm". The files coll_*.c name the source of each algorithm.
 *
 *	c.library = TAPE_COLL_OPEN_MPI; c.op = TAPE_COLL_BCAST; ...
 *	way = tape_coll_choose(&c, &segment);
 *	if (way != TAPE_COLL_UNKNOWN)
 *		tape_coll_exits(&c, way, segment, &cost, entry, exit);
 *
 * The members of c are numbered from 0. Times are ns since any origin. A
 * message starts when its sender reaches the send, and arrives a transit later.
 * The receiver then takes it, which lasts a given time. A rendezvous starts
 * when both members have reached it, and its sender waits until it has arrived.
 * Nothing else takes time: computing and copying in the library is the same in
 * two runs and cancels out in their difference.
 *
 * Pure functions without state.
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

/* The library that chooses the algorithm. */
enum tape_coll_library {
	TAPE_COLL_OPEN_MPI,      /* 4.1, component tuned, default rules */
	TAPE_COLL_SMPI,          /* SimGrid 3.32, selector ompi */
	TAPE_COLL_LIBRARIES
};

struct tape_collective {
	enum tape_coll_library library;
	enum tape_coll_op op;
	int size;                /* members, 1 or more */
	int root;                /* of operations with a root; else 0 */
	/* of the vector (bcast, reduce, allreduce, scan; of all members'
	 * parts together, reduce_scatter), or of one block (scatter, gather,
	 * allgather, alltoall) */
	uint64_t bytes;
	/* only SMPI has other algorithms for these: */
	int vector;              /* each member has a size of its own; bytes is
				  * the mean */
	int later;               /* the operation is non-blocking */
	uint64_t element;        /* bytes of a reduced element; 0: 8 if bytes is
				  * a multiple of 8, else 1 */
	/* The number of each member's host before the first broadcast of this
	 * communicator, which finds members of one host; later NULL. */
	const int *hosts;
};

/*
 * Trees go down from the root (bcast, scatter), up to it (gather, reduce), or
 * up and then down again (barrier, allreduce); v is a member's number counted
 * from the root.
 */
enum tape_coll_way {
	TAPE_COLL_UNKNOWN,
	TAPE_COLL_FLAT,          /* root and each other member, in order */
	TAPE_COLL_ARRIVAL,       /* the same, in the order of arrival */
	TAPE_COLL_CHAIN,         /* v and v + 1 */
	TAPE_COLL_LEVELS,        /* binary, numbered level by level, each
				  * parent's children half a level apart */
	TAPE_COLL_BINOMIAL,      /* v and v without its highest bit */
	TAPE_COLL_IN_ORDER,      /* binomial: without its lowest bit */
	TAPE_COLL_KNOMIAL,       /* the same in base 4 */
	/* exchanges at distances 1, 2, 4 ... by a power of two of members. The
	 * extra members are the last ones, or every other of the first ones */
	TAPE_COLL_DOUBLING_LAST,
	TAPE_COLL_DOUBLING,
	TAPE_COLL_HALVING,       /* distances ..., 4, 2, 1 of halves */
	TAPE_COLL_RABENSEIFNER,  /* halves, then doubles; pairs first share */
	TAPE_COLL_BRUCK,         /* dissemination: to v + 1, 2, 4 ... */
	TAPE_COLL_RING,          /* to v + 1, size - 1 times, or twice that */
	TAPE_COLL_DOUBLE_RING,   /* a token, twice around */
	TAPE_COLL_NEIGHBOURS,    /* pairs, left and right in turn */
	TAPE_COLL_PAIRS,         /* to v + k, from v - k */
	TAPE_COLL_SPREAD,        /* all to all at once */
	TAPE_COLL_TWO_PARTS,     /* to a root and from there, each as chosen */
	/* algorithms of SimGrid that wait in another way: first those with a
	 * root */
	TAPE_COLL_SMPI_FLAT,     /* one after the other, in order of number */
	TAPE_COLL_SMPI_AT_ONCE,  /* all other members at once */
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
	TAPE_COLL_SMPI_LAST,     /* doubling, the last members are extra */
	TAPE_COLL_SMPI_DOUBLING,
	TAPE_COLL_SMPI_RAB,      /* Rabenseifner's, pairs first send all */
	TAPE_COLL_SMPI_RING_SUM, /* the remainder is summed separately */
	TAPE_COLL_SMPI_HALVING,
	TAPE_COLL_SMPI_BUTTERFLY, /* halves at distances 1, 2, 4 ..., and each
				  * block is sent to its member */
	TAPE_COLL_SMPI_RING_PARTS,
	TAPE_COLL_SMPI_TWO_FLAT, /* to member 0 at once, and from there */
	TAPE_COLL_SMPI_REST,     /* doubling, blocks forwarded to the rest */
	TAPE_COLL_SMPI_BRUCK,
	TAPE_COLL_SMPI_SHIFTS,   /* to v + k, from v - k */
	TAPE_COLL_SMPI_XOR,      /* with v ^ k; size a power of two */
	TAPE_COLL_SMPI_NEIGHBOURS,
	TAPE_COLL_SMPI_RING,     /* to v + 1, from v - 1 */
	TAPE_COLL_SMPI_GATHER_0, /* to member 0, and a broadcast of all */
	TAPE_COLL_SMPI_REVERSE,  /* all to all at once, receives upwards, sends
				  * downwards */
	TAPE_COLL_SMPI_UPWARDS,  /* both upwards */
	TAPE_COLL_SMPI_BY_PEER,  /* a send and a receive of each */
	TAPE_COLL_SMPI_SCAN,     /* each member to all later ones */
	TAPE_COLL_WAYS
};

/* The cost of a message between two members. */
struct tape_coll_cost {
	/* ns; *together: a value of the enum below, 0 on entry */
	double (*transit)(const void *of, int from, int to, uint64_t bytes,
			  int *together);
	/* ns to receive a message that has arrived, and to compute with it: DC
	 * and dcalc (Maillet 1996, 6.2.3) */
	double (*take)(const void *of, int from, int to, uint64_t bytes);
	const void *of;
	/* ns in the send before the message starts, by a blocking call or not;
	 * NULL: 0 */
	double (*busy)(const void *of, int from, int to, uint64_t bytes,
		       int blocking);
};

/* Values of *together: when a message starts. */
enum {
	TAPE_COLL_EAGER,         /* when it is sent */
	TAPE_COLL_RENDEZVOUS,    /* when its receive is posted, too; the sender
				  * waits until it has arrived */
	TAPE_COLL_DETACHED       /* when its receive is posted, too; the sender
				  * continues */
};

/*
 * The largest number of messages that is simulated for size members: 64 size
 * log2(size), at least 2^18.
 */
double tape_coll_max_messages(int size);

/*
 * The algorithm that the library uses, or TAPE_COLL_UNKNOWN if it is not among
 * the above. *segment: large vectors are sent in segments of so many bytes; 0:
 * as a whole. Operators are assumed to be commutative and elements to have 8
 * bytes, since traces do not record them.
 */
enum tape_coll_way tape_coll_choose(const struct tape_collective *c,
				    uint64_t *segment);

/*
 * Calls message for each message of the algorithm, with the numbers of both
 * members. Returns 0, TAPE_ENOMEM, or 1 if there are more than 4 size^2 + 64
 * size log2(size) messages: it then stopped at that number.
 */
int tape_coll_messages(
    const struct tape_collective *c, enum tape_coll_way way, uint64_t segment,
    void (*message)(void *self, int from, int to, uint64_t bytes), void *self);

#endif
