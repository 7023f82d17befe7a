/*
 * Calls that control never returns to: an error handler, a reduction or the
 * like leaves them by longjmp or an exception, and what the program calls next
 * is no part of them. Whoever leaves so is seen on the way (longjmp, and what
 * throws); then the unwinder says whether the call is still there.
 */
#ifndef TAPE_NONLOCAL_EXIT_H
#define TAPE_NONLOCAL_EXIT_H

#include "core.h"

/*
 * A call is made at frame, and the last one of the thread, f->frame, has not
 * returned: is it inside of that? Of two on different stacks: a handler on the
 * signals' stack is inside of what it interrupts; a coroutine is not inside of
 * another one, and is recorded where that can be told.
 */
int tape_call_is_nested(struct tape_flow *f, const void *frame);

#endif
