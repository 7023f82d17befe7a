/*
 * Messages on standard error, and the lock of the data that threads share.
 */
#ifndef TAPE_MESSAGE_H
#define TAPE_MESSAGE_H

#include "core.h"

/* Prints "tape: ..." as one line on stderr. Preserves errno. */
__attribute__((format(printf, 1, 2))) void tape_say(const char *format, ...);

/*
 * Called at the start of the run. Messages are printed only while standard
 * error is the file that it is now.
 */
void tape_say_start(void);

/* While a thread holds the lock it cannot be cancelled. */
void tape_lock(void);
/*
 * For code that may run at the exit of the process: 0, or -1 without the lock.
 */
int tape_lock_or_give_up(void);
/* For optional work: takes the lock if it is free. Returns 0, or -1. */
int tape_lock_if_free(void);
void tape_unlock(void);

#endif
