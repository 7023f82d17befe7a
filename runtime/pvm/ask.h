/*
 * "Had the message arrived when its receive began?" pvm_probe cannot tell: it
 * takes what the sockets hold, but no more than one message, or one piece of
 * some, and answers no where that was another. So the receive itself is tried
 * first, by pvm_nrecv, for as long as there is something to be read; a success
 * is the receive, and costs no more than it. Where the message is not there,
 * the real call waits for it.
 */
#ifndef TAPE_PVM_ASK_H
#define TAPE_PVM_ASK_H

#include "core.h"
#include "pvm.h"

/* pvm_recvf was called: which message a receive takes is the program's. */
extern int tape_pvm_matching __attribute__((visibility("hidden")));

/*
 * May a receive of that source and tag be tried? Not where it fails, for it has
 * to do so under its own name, nor where a matching function of the program's
 * would be called once more, nor inside a handler of messages, where nothing
 * can arrive.
 */
int tape_pvm_may_try(const struct tape_flow *f, int tid, int tag);

/*
 * Takes a message that is there. Returns what pvm_recv does: its buffer, a
 * negative code (raised in the name of call), or 0: it is not there.
 */
int tape_pvm_try(const char *call, int tid, int tag);
int lpvmerr(const char *call, int code);

#endif
