/*
 * A collective as programs of its members: the sends, receives and waits of
 * each member in the library's algorithm. coll_run.h computes their times. It
 * has no formulas; the files of the algorithms name their sources.
 *
 *	rc = tape_coll_program_make(&c, way, segment, &program);
 *	for (i = program.first[v]; i < program.first[v + 1]; i++)
 *		program.calls[i] is the next call of member v
 *	tape_coll_program_free(&program);
 *
 * The k-th send from one member to another and the k-th receive of it are one
 * message.
 */
#ifndef TAPE_MODEL_COLL_PROGRAM_H
#define TAPE_MODEL_COLL_PROGRAM_H

#include <stddef.h>

#include "coll.h"

enum tape_coll_kind {
	TAPE_COLL_SEND,          /* blocking, if senders of that size wait */
	TAPE_COLL_ISEND,
	TAPE_COLL_RECV,
	TAPE_COLL_IRECV,
	TAPE_COLL_WAIT_SEND,     /* for an ISEND, */
	TAPE_COLL_WAIT_RECV      /* or an IRECV */
};

struct tape_coll_call {
	uint64_t bytes;          /* of a send */
	int32_t member, peer;
	uint32_t message;        /* its number */
	uint8_t kind;            /* enum tape_coll_kind */
	uint8_t more;            /* of a wait: the next wait is part of the same
				  * call, and messages are received in order of
				  * arrival; of an ISEND or IRECV: a wait for it
				  * exists */
};

struct tape_coll_program {
	int size;
	struct tape_coll_call *calls; /* by member */
	size_t n_calls;
	uint32_t *first;         /* of each member; the last is n_calls */
	size_t n_messages;
	int shared_hosts;        /* it begins with the search for shared hosts,
				  * see tape_collective.hosts */
};

/*
 * Returns 0, TAPE_ENOMEM, or 1 if there are more messages than
 * tape_coll_max_messages(size) or the algorithm is unknown; *p is then empty.
 */
int tape_coll_program_make(const struct tape_collective *c,
			   enum tape_coll_way way, uint64_t segment,
			   struct tape_coll_program *p);
void tape_coll_program_free(struct tape_coll_program *p);

/* ---- internal: how algorithms list their calls ---- */

/* The parent of v in a tree of size members: less than v; 0 is the root. */
typedef int parent_of(int v, int size);

struct play {
	struct tape_collective c;
	/* of the algorithm */
	parent_of *parent;
	int variant;
	uint64_t segment;
	/* if not NULL, called for each message; no calls are stored */
	void (*message)(void *self, int from, int to, uint64_t bytes);
	void *self;
	struct tape_coll_call *calls; /* in the order they are added */
	size_t n, room;
	size_t step;            /* first call of the current step */
	double left;            /* messages that may still be added */
	int shared_hosts, rc;
};

/* Add a call of member v. isend and irecv return the request's number. */
void tape_coll_send(struct play *p, int v, int to, uint64_t bytes);
void tape_coll_recv(struct play *p, int v, int from);
size_t tape_coll_isend(struct play *p, int v, int to, uint64_t bytes);
size_t tape_coll_irecv(struct play *p, int v, int from);
void tape_coll_wait(struct play *p, size_t request);
/* One wait for all requests of v from number from on without a wait. */
void tape_coll_wait_all(struct play *p, int v, size_t from);
/* A send and a receive at once; nothing for a message to itself. */
void tape_coll_sendrecv(struct play *p, int v, int to, uint64_t bytes,
			int from);

/*
 * The same in steps: messages of several members, then all members wait for the
 * messages of the step, in the order they were added or in order of arrival. A
 * message starts at the time of its sender before the step.
 */
void tape_coll_message(struct play *p, int from, int to, uint64_t bytes);
void tape_coll_step(struct play *p);
void tape_coll_step_by_arrival(struct play *p);
/* A step of one message. */
void tape_coll_message_step(struct play *p, int from, int to, uint64_t bytes);

/* Add the calls of an algorithm, or of another collective by the algorithm
 * that the library chooses. */
void tape_coll_add_algorithm(struct play *p, enum tape_coll_way way);
void tape_coll_add_chosen(struct play *p, enum tape_coll_op op, int root,
			  uint64_t bytes);

/* The greatest power of two up to n. */
int tape_coll_power(int n);

/* Bytes of a reduced element in SMPI: 8 if bytes is a multiple of 8, else 1. */
uint64_t tape_coll_element(uint64_t bytes);

/* ---- coll_tree.c ---- */

parent_of tape_coll_flat, tape_coll_chain, tape_coll_chains, tape_coll_levels,
	tape_coll_binomial, tape_coll_in_order, tape_coll_knomial;

/* Messages along the tree; variant 1: parents receive in order of arrival. */
void tape_coll_tree(struct play *p);

/* ---- coll_shift.c ---- */

/* Which variant is which: the table in coll_algorithms.c. */
void tape_coll_doubling(struct play *p);
void tape_coll_halving(struct play *p);
void tape_coll_rabenseifner(struct play *p);
void tape_coll_bruck(struct play *p);
void tape_coll_ring(struct play *p);
void tape_coll_double_ring(struct play *p);
void tape_coll_neighbours(struct play *p);
void tape_coll_pairs(struct play *p);
void tape_coll_spread(struct play *p);

/* ---- coll_smpi_*.c: as SimGrid 3.32 has them ---- */

void tape_coll_smpi_flat(struct play *p);
void tape_coll_smpi_at_once(struct play *p);
void tape_coll_smpi_binomial(struct play *p);
void tape_coll_smpi_knomial(struct play *p);
void tape_coll_smpi_of_0(struct play *p);
void tape_coll_smpi_pipeline(struct play *p);
void tape_coll_smpi_scattered(struct play *p);
void tape_coll_smpi_reduce(struct play *p);
void tape_coll_smpi_synchronous(struct play *p);

void tape_coll_smpi_doubling(struct play *p);
void tape_coll_smpi_rabenseifner(struct play *p);
void tape_coll_smpi_ring_sum(struct play *p);
void tape_coll_smpi_halving(struct play *p);
void tape_coll_smpi_butterfly(struct play *p);
void tape_coll_smpi_ring_parts(struct play *p);
void tape_coll_smpi_two_parts(struct play *p);
void tape_coll_smpi_rest(struct play *p);
void tape_coll_smpi_shifts(struct play *p);
void tape_coll_smpi_rounds(struct play *p);
void tape_coll_smpi_everybody(struct play *p);

#endif
