/*
 * Small programs for orders.c, whose structure does not depend on what they
 * receive, and the machine that runs them in one order or in all.
 *
 * The machine is MPI's: messages of a pair of ranks arrive in the order of
 * sending, but otherwise at any time. One that arrives goes to the receive that
 * was posted first of those that match, or waits; a receive takes the message
 * that arrived first of those that match. A synchronous send ends when its
 * message was taken.
 */
#ifndef ORDER_PROGRAM_H
#define ORDER_PROGRAM_H

#include <stdint.h>

enum { ORDER_RANKS = 4, ORDER_STEPS = 24, ORDER_MESSAGES = 10 };
enum { ORDER_ANY = -1 };
enum order_kind {
	ORDER_SEND,
	ORDER_SSEND,
	ORDER_BIG, /* a send above the eager limit */
	ORDER_RECV,
	ORDER_IRECV,
	ORDER_WAIT,    /* for the receive of the step that peer says */
	ORDER_WAITANY, /* for any of the receives not completed */
	ORDER_BARRIER, /* of all ranks */
	ORDER_KINDS
};

struct order_step {
	enum order_kind kind;
	int peer, tag; /* a receive: ORDER_ANY, or that one */
	int send;      /* number of its message */
};

/* What a rank's step did in a run: message -1 took none. */
struct order_outcome {
	int message;
	int request; /* of a wait: the step that posted the receive, or -1 */
	int64_t start, end;
};

struct order_rank {
	int n;
	struct order_step step[ORDER_STEPS];
	struct order_outcome done[ORDER_STEPS]; /* in the given run */
	/* what other orders let a receive, or a wait for any, do: take another
	 * message while all calls before do as in the run; in any order; and
	 * the first with no other such call before */
	int races[ORDER_STEPS], differs[ORDER_STEPS], is_first[ORDER_STEPS];
};

struct order_program {
	int ranks, messages;
	struct order_rank rank[ORDER_RANKS];
	int from[ORDER_MESSAGES], to[ORDER_MESSAGES], tag[ORDER_MESSAGES];
};

/*
 * A random program that ends, and the run that is given; the same for the same
 * seed. Returns 0 if the one drawn does not end in an order that was tried.
 */
int order_program_draw(struct order_program *p, uint64_t seed);

/*
 * Sets races, differs and is_first by trying all orders. Returns 0 if there are
 * too many for differs, whose entries are then not set.
 */
int order_program_enumerate(struct order_program *p);

#endif
