/*
 * Calls that never return: an error handler or a reduction leaves the call by
 * longjmp or an exception, and the program's next call is not part of it. Tape
 * intercepts longjmp and the throw functions. It then asks the unwinder whether
 * the frame of the call is still on the stack.
 */
#ifndef TAPE_NONLOCAL_EXIT_H
#define TAPE_NONLOCAL_EXIT_H

#include "core.h"

/*
 * Called for a call at frame while the thread's last call, at f->frame, has not
 * returned. Returns 1 if the new call is nested in the last call. If they are
 * on different stacks, a signal handler on its own stack is nested in the call
 * that it interrupts, and a coroutine is not nested.
 */
int tape_call_is_nested(struct tape_flow *f, const void *frame);

#endif
