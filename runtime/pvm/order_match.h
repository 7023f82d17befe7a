/*
 * The matching function by which a replay has PVM take the recorded message.
 * It stands in the place of that of the program, or the default one, during one
 * call (pvm_recvf).
 */
#ifndef TAPE_PVM_ORDER_MATCH_H
#define TAPE_PVM_ORDER_MATCH_H

#include "pvm.h"

/* The order is recorded or replayed (pvm_order.h). */
extern int tape_pvm_is_ordered __attribute__((visibility("hidden")));

/* Makes ours PVM's matching function, and remembers the one before it. */
void tape_pvm_begin_match(tape_pvm_match ours);

/* Sets the remembered function again. Does nothing if there is none. */
void tape_pvm_end_match(void);

/* Returns what the replaced function says of a message. */
int tape_pvm_match_as_program(int mid, int tid, int tag);

/*
 * Before (1) and after (0) a message handler, which may run during the call:
 * the replaced function is set meanwhile.
 */
void tape_pvm_pause_match(int is_paused);

#endif
