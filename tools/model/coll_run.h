/*
 * Runs the program of a collective (coll_program.h): when each member does
 * what, by what its messages cost, which somebody else knows.
 *
 *	rc = tape_coll_run_open(&program, &net, &run);
 *	for (v = 0; v < program.size; v++)
 *		tape_coll_enter(run, v, entry[v]);
 *	rc = tape_coll_run_rc(run);
 *	tape_coll_run_close(run);
 *
 * Dates are ns after any one date. Whoever has the messages calls
 * tape_coll_sent and tape_coll_there, during the calls of net or later.
 */
#ifndef TAPE_MODEL_COLL_RUN_H
#define TAPE_MODEL_COLL_RUN_H

#include "coll_program.h"

struct tape_coll_run;

struct tape_coll_net {
	void *self;
	/* A member sends at a date; returns when it goes on. */
	double (*send)(void *self, const struct tape_coll_call *call,
		       double at_ns);
	/* A member has posted a receive. */
	void (*recv)(void *self, const struct tape_coll_call *op, double at_ns);
	/* A member has done all. */
	void (*left)(void *self, int member, double at_ns);
};

/* Returns 0 or TAPE_ENOMEM. The program must stay. */
int tape_coll_run_open(const struct tape_coll_program *p,
		       const struct tape_coll_net *net,
		       struct tape_coll_run **run);
void tape_coll_run_close(struct tape_coll_run *run);

void tape_coll_enter(struct tape_coll_run *run, int member, double at_ns);

/* The sender of a message need not wait for it any more from a date on. */
void tape_coll_message_sent(struct tape_coll_run *run, uint32_t message,
			    double ns);

/* A message is there, and its receiver takes it, which takes a while. */
void tape_coll_message_arrived(struct tape_coll_run *run, uint32_t message,
			       double ns, double take_ns);

/* Have all members left? */
int tape_coll_is_complete(const struct tape_coll_run *run);

/* 0, or TAPE_ENOMEM: then it is not over and will not be. */
int tape_coll_run_rc(const struct tape_coll_run *run);

#endif
