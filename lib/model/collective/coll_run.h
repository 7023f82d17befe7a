/*
 * Runs the program of a collective (coll_program.h): the time of each call, by
 * the times of messages that the caller supplies. The rule is that of coll.h
 * (Maillet 1996, 6.2.3).
 *
 *	rc = tape_coll_run_open(&program, &net, &run);
 *	for (v = 0; v < program.size; v++)
 *		tape_coll_enter(run, v, entry[v]);
 *	rc = tape_coll_run_rc(run);
 *	tape_coll_run_close(run);
 *
 * Times are ns since any origin. The owner of net calls tape_coll_message_sent
 * and tape_coll_message_arrived, during the calls of net or later.
 */
#ifndef TAPE_MODEL_COLL_RUN_H
#define TAPE_MODEL_COLL_RUN_H

#include "coll_program.h"

struct tape_coll_run;

struct tape_coll_net {
	void *self;
	/* A member sends at at_ns; returns when it continues. */
	double (*send)(void *self, const struct tape_coll_call *call,
		       double at_ns);
	/* A member has posted a receive. */
	void (*recv)(void *self, const struct tape_coll_call *op, double at_ns);
	/* A member has completed its program. */
	void (*left)(void *self, int member, double at_ns);
};

/* Returns 0 or TAPE_ENOMEM. The program must outlive the run. */
int tape_coll_run_open(const struct tape_coll_program *p,
		       const struct tape_coll_net *net,
		       struct tape_coll_run **run);
void tape_coll_run_close(struct tape_coll_run *run);

void tape_coll_enter(struct tape_coll_run *run, int member, double at_ns);

/* The sender of a message may continue at ns. */
void tape_coll_message_sent(struct tape_coll_run *run, uint32_t message,
			    double ns);

/* A message arrives at ns; its receive then takes take_ns. */
void tape_coll_message_arrived(struct tape_coll_run *run, uint32_t message,
			       double ns, double take_ns);

/* Returns 1 if all members have left. */
int tape_coll_is_complete(const struct tape_coll_run *run);

/* 0, or TAPE_ENOMEM: the run then never completes. */
int tape_coll_run_rc(const struct tape_coll_run *run);

#endif
