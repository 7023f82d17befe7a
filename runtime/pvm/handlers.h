/*
 * Message handlers: functions of the program to which PVM hands a message
 * (pvm_addmhf), during whatever call reads it from the network.
 *
 * The program did not call a receive for such a message. It is recorded as a
 * pvm_recv whose call site is the handler. The calls of the handler follow as
 * events. The call in progress is recorded around them:
 *
 *	pvm_send, pvm_mcast,    one event, up to the first handler: the message
 *	pvm_bcast               has been sent by then
 *	collective calls of a   two events (enum tape_call_part): up to the
 *	group, pvm_spawn        first handler, and since the last one returned
 *	others                  one event, since the last handler returned; the
 *	                        pvm_recv begins where the call began
 */
#ifndef TAPE_PVM_HANDLERS_H
#define TAPE_PVM_HANDLERS_H

#include <stdint.h>

struct tape_coll;
struct tape_mcast;
struct tape_pvm_args;
struct tape_send;

/* In place of a start: the call in progress is not recorded. */
#define TAPE_PVM_PASSED 1u

/* The call in progress. The pointers are to the frame of its wrapper. */
struct tape_pvm_inside {
	uint64_t start;   /* ticks; 0: no call is in progress */
	uint64_t resumed; /* ticks: the last handler returned; 0: none ran */
	uint32_t site;
	struct tape_send *send; /* the message being sent, or NULL */
	struct tape_mcast *mcast; /* the message to several tasks, or NULL */
	const int *tids;  /* its n receivers; NULL: the members of a group */
	int n;
	int sent;         /* the event of the message is recorded already */
	/* the call, if it is recorded as two events; else NULL */
	const struct tape_pvm_args *two_parts;
	int begun;        /* its beginning is recorded, */
	uint32_t comm;    /* with this communicator; 0: none */
	int handling;     /* a handler is running */
	int *auto_err;    /* the program's PvmAutoErr, while Tape has switched
			   * messages about errors off; or NULL */
};
extern struct tape_pvm_inside tape_pvm_inside
	__attribute__((visibility("hidden")));

/*
 * What is learned about the call in progress from the calls that the library
 * makes for it.
 */
struct tape_pvm_within {
	int collective; /* it is a collective call of a group with a root, */
	int tag;        /* whose messages have this tag */
	int root;       /* task, from the library's pvm_gettid; 0: not yet */
	int n;          /* messages of the tag, sent and received */
	struct tape_flow *precv; /* it is a pvm_precv of this flow, or NULL: */
	uint32_t arrived;        /* field arrived of its event */
};
extern struct tape_pvm_within tape_pvm_within
	__attribute__((visibility("hidden")));

/*
 * Sets root and comm in r, for the collective call a of a group. Returns 1, or
 * 0 as long as the root is not known: until then the library has sent nothing
 * for the call.
 */
int tape_pvm_identify_collective(const struct tape_pvm_args *a,
				 struct tape_coll *r);

/* pvm_addmhf and pvm_delmhf. */
int tape_pvm_add_handler(int src, int tag, int ctx, int (*func)(int));
int tape_pvm_delete_handler(int id);

#endif
