/*
 * Messages that PVM hands to a function of the program's (pvm_addmhf), in
 * whatever call takes them out of the network. Such a message is received by a
 * call that the program did not make: it is recorded as a pvm_recv whose call
 * site is the function. It lasts from the beginning of the call that was under
 * way, which goes on as an event of its own once the function has returned; in
 * between stand the function's calls. A message that the call sends has gone by
 * then: that event comes first. So does the beginning of a collective call of a
 * group, for which others may wait, and of pvm_spawn: such a call is two events
 * (part, catalogue/classes.tab).
 */
#ifndef TAPE_PVM_HANDLERS_H
#define TAPE_PVM_HANDLERS_H

#include <stdint.h>

struct tape_coll;
struct tape_mcast;
struct tape_pvm_args;
struct tape_send;

/* Where a start would be: a call that is not recorded itself. */
#define TAPE_PVM_PASSED 1u

/* The call under way. */
struct tape_pvm_inside {
	uint64_t start;   /* ticks; 0: none */
	uint64_t resumed; /* and since a handler returned; 0: none was there */
	uint32_t site;
	struct tape_send *send; /* a message goes out; NULL: none */
	struct tape_mcast *mcast; /* or one to several tasks; NULL: none */
	const int *tids;  /* these n; NULL: those of a group */
	int n;
	int sent;         /* that has been recorded already */
	/* a collective call of a group, or pvm_spawn; NULL: neither */
	const struct tape_pvm_args *two_parts;
	int begun;        /* the beginning of that call has been recorded, */
	uint32_t comm;    /* with this communicator; 0: none */
	int handling;     /* one is at work */
	int *auto_err;    /* what the program wants of errors, while they are
			   * kept quiet; or NULL */
};
extern struct tape_pvm_inside tape_pvm_inside
	__attribute__((visibility("hidden")));

/*
 * What the library's own calls tell inside of the program's call: of a
 * collective the root's task, which each member asks for, and how many messages
 * of its tag this task sends or takes; of pvm_precv its receive.
 */
struct tape_pvm_within {
	int collective, tag, root, n;
	struct tape_flow *precv; /* NULL: none */
	uint32_t arrived;
};
extern struct tape_pvm_within tape_pvm_within
	__attribute__((visibility("hidden")));

/*
 * Sets root and comm of the collective call of a group that is in progress.
 * Returns 0 where they are not known (yet): then the library has sent nothing
 * for the call.
 */
int tape_pvm_identify_collective(const struct tape_pvm_args *a,
				 struct tape_coll *r);

/* pvm_addmhf and pvm_delmhf. */
int tape_pvm_add_handler(int src, int tag, int ctx, int (*func)(int));
int tape_pvm_delete_handler(int id);

#endif
