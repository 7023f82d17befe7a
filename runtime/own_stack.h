/*
 * The program's threads, and its signal handlers, may have very small stacks.
 * What the tracer does seldom and at length, a first use of anything, runs on a
 * stack of its own: a few hundred bytes of the program's are all that it takes.
 */
#ifndef TAPE_OWN_STACK_H
#define TAPE_OWN_STACK_H

#include "compiler.h"

/*
 * Calls function(argument) there; where that cannot be, on the caller's stack.
 * Who is there already stays. The unwinder finds its way through.
 */
void tape_run_on_own_stack(void (*function)(void *), void *argument);

struct tape_flow;

/* Gives the stack of a flow back, which is not in use. */
void tape_own_stack_free(struct tape_flow *f);

#endif
