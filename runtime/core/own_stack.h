/*
 * The program's threads and signal handlers may have very small stacks. Rare
 * and long work of the tracer, such as the first use of a call site, runs on a
 * separate stack. It needs a few hundred bytes of the program's stack.
 */
#ifndef TAPE_OWN_STACK_H
#define TAPE_OWN_STACK_H

#include "compiler.h"

/*
 * Calls function(argument) on a separate stack, or on the caller's stack if
 * there is no memory or the caller is on a separate stack already. The unwinder
 * can pass from one stack to the other.
 */
void tape_run_on_own_stack(void (*function)(void *), void *argument);

struct tape_flow;

/* Frees the stack of a flow, which must not be in use. */
void tape_own_stack_free(struct tape_flow *f);

#endif
