/*
 * Messages that PVM hands to a function of the program's (pvm_addmhf), in
 * whatever call takes them out of the network. Such a message is received by a
 * call that the program did not make: it is recorded as a pvm_recv whose call
 * site is the function. It lasts from the beginning of the call that was under
 * way, which goes on as an event of its own once the function has returned; in
 * between stand the function's calls. A message that the call sends has gone by
 * then: that event comes first.
 */
#ifndef TAPE_PVM_HANDLERS_H
#define TAPE_PVM_HANDLERS_H

#include <stdint.h>

struct tape_mcast;
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
	int handling;     /* one is at work */
	int *auto_err;    /* what the program wants of errors, while they are
			   * kept quiet; or NULL */
};
extern struct tape_pvm_inside tape_pvm_inside
	__attribute__((visibility("hidden")));

/* pvm_addmhf and pvm_delmhf. */
int tape_pvm_add_handler(int src, int tag, int ctx, int (*func)(int));
int tape_pvm_delete_handler(int id);

#endif
