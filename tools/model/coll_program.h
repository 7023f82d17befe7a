/*
 * A collective as programs of its members: each sends, receives and waits, as
 * the library's algorithm does it. coll_run.h says when.
 *
 *	rc = tape_coll_program_make(&c, way, segment, &program);
 *	for (i = program.first[v]; i < program.first[v + 1]; i++)
 *		program.calls[i] is what member v does next
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
	TAPE_COLL_SEND,          /* and waits for it, if senders of that size
				  * do */
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
	uint8_t more;            /* of a wait: the next wait belongs to it, and
				  * messages are taken as they come; of an ISEND
				  * or IRECV: something waits for it */
};

struct tape_coll_program {
	int size;
	struct tape_coll_call *calls; /* by member */
	size_t n_calls;
	uint32_t *first;         /* of each member; the last is n_calls */
	size_t n_messages;
	int shared_hosts;        /* it begins with what tape_collective.hosts
				  * describes */
};

/*
 * Returns 0; TAPE_ENOMEM; or 1 where there would be more messages than
 * tape_coll_most(size), or the algorithm is not known. Then *p is empty.
 */
int tape_coll_program_make(const struct tape_collective *c,
			   enum tape_coll_way way, uint64_t segment,
			   struct tape_coll_program *p);
void tape_coll_program_free(struct tape_coll_program *p);

/* As tape_coll_exits, of a program that has been made. */
int tape_coll_program_exits(const struct tape_coll_program *program,
			    const struct tape_coll_cost *cost,
			    const double *entry, double *exit);

/* ---- inside of coll.h: what algorithms say ---- */

/* The parent of v in a tree of so many: less than v; 0 is the root. */
typedef int parent_of(int v, int size);

struct play {
	struct tape_collective c;
	/* of the algorithm */
	parent_of *parent;
	int variant;
	uint64_t segment;
	/* only the messages are wanted; or NULL */
	void (*message)(void *self, int from, int to, uint64_t bytes);
	void *self;
	struct tape_coll_call *calls; /* as they are said */
	size_t n, room;
	size_t step;            /* where the step begins that is being said */
	double left;            /* messages that it may still be */
	int shared_hosts, rc;
};

/* What member v does; those that return a request return its number. */
void tape_coll_send(struct play *p, int v, int to, uint64_t bytes);
void tape_coll_recv(struct play *p, int v, int from);
size_t tape_coll_isend(struct play *p, int v, int to, uint64_t bytes);
size_t tape_coll_irecv(struct play *p, int v, int from);
void tape_coll_wait(struct play *p, size_t request);
/* All of v's requests from that number on that nothing waits for, as one. */
void tape_coll_wait_all(struct play *p, int v, size_t from);
/* Both at once; with itself it is nothing. */
void tape_coll_sendrecv(struct play *p, int v, int to, uint64_t bytes,
			int from);

/*
 * The same in steps: messages of several members, and then all wait for those
 * of the step, each in the order in which they were said or as they come. What
 * is sent in a step goes at the date that its sender had before the step.
 */
void tape_coll_message(struct play *p, int from, int to, uint64_t bytes);
void tape_coll_step(struct play *p);
void tape_coll_step_by_arrival(struct play *p);
/* A message that is a step. */
void tape_coll_message_step(struct play *p, int from, int to, uint64_t bytes);

/* Says an algorithm, or another collective as its library would choose. */
void tape_coll_add_algorithm(struct play *p, enum tape_coll_way way);
void tape_coll_add_chosen(struct play *p, enum tape_coll_op op, int root,
			  uint64_t bytes);

/* The greatest power of two up to n. */
int tape_coll_power(int n);

/* What SMPI takes the numbers of reductions to be: doubles where it can. */
uint64_t tape_coll_element(uint64_t bytes);

/* ---- coll_tree.c ---- */

parent_of tape_coll_flat, tape_coll_chain, tape_coll_chains, tape_coll_levels,
	tape_coll_binomial, tape_coll_in_order, tape_coll_knomial;

/* Along the tree as the operation wants it; variant 1: parents take what comes
 * first. */
void tape_coll_tree(struct play *p);

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
