/*
 * Sentences on standard error, and the lock of what threads share.
 */
#ifndef TAPE_MESSAGE_H
#define TAPE_MESSAGE_H

#include "core.h"

/* Prints "tape: ..." as one line on stderr; errno is kept. */
__attribute__((format(printf, 1, 2))) void tape_say(const char *format, ...);

/* The run begins: what standard error is now is the user's. */
void tape_say_start(void);

/* While a thread holds the lock it cannot be cancelled. */
void tape_lock(void);
/* For what may run at the end of the process: 0, or -1 without the lock. */
int tape_lock_or_give_up(void);
/* For what can be left undone: 0, or at once -1 without the lock. */
int tape_lock_if_free(void);
void tape_unlock(void);

#endif
