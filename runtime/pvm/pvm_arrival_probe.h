/*
 * Finds out whether a message had arrived when its receive began. pvm_probe
 * cannot tell: it reads at most one message, or one fragment, from the sockets
 * and returns 0 if that was another message. So the receive itself is tried
 * first, by pvm_nrecv, as long as the sockets have data. A success is the
 * receive and costs no more. If the message has not arrived, the real call
 * waits for it.
 */
#ifndef TAPE_PVM_ARRIVAL_PROBE_H
#define TAPE_PVM_ARRIVAL_PROBE_H

#include "core.h"
#include "pvm.h"

/* pvm_recvf was called: the program chooses the message of a receive. */
extern int tape_pvm_matching __attribute__((visibility("hidden")));

/*
 * Returns 1 if a receive of that source and tag can be tried. A receive that
 * fails must fail under its own name. A matching function of the program must
 * not be called once more. Inside a message handler no message can arrive.
 */
int tape_pvm_can_try(const struct tape_flow *f, int tid, int tag);

/*
 * Receives a message that has arrived. Returns its buffer as pvm_recv does, a
 * negative code (raised in the name of call), or 0 if none has arrived.
 */
int tape_pvm_try(const char *call, int tid, int tag);
int lpvmerr(const char *call, int code);

/* As pvm_probe, but an error is not raised. */
int tape_pvm_probe_quietly(int tid, int tag);

/*
 * Waits, at most wait_us microseconds, until there is anything to be read, as
 * PVM itself waits by select. Returns 1 if there is.
 */
int tape_pvm_await_input(int wait_us);

#endif
