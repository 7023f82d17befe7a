/*
 * Chunks are written through a mapped file. A store raises SIGBUS if the file
 * was truncated, or if a copy-on-write file system has no free block. The
 * handler acts on these addresses only: it ends tracing for the thread, and the
 * program continues. For any other SIGBUS, and for sigaction, the program's own
 * handler is in effect.
 */
#ifndef TAPE_SIGBUS_H
#define TAPE_SIGBUS_H

#include <signal.h>

/* Installs and removes the handler. Both preserve errno. */
void tape_sigbus_start(void);
void tape_sigbus_stop(void);

/*
 * sigaction for SIGBUS as the program sees it: returns 0, or -1 with errno.
 * Call tape_sigbus_start first.
 */
int tape_sigbus_action(const struct sigaction *new, struct sigaction *old);

/* Returns 1 while the handler is installed. */
int tape_sigbus_is_watched(void);

/* Calls the C library's sigaction, not Tape's. */
int tape_real_sigaction(int n, const struct sigaction *new,
			struct sigaction *old)
    __attribute__((visibility("hidden")));

#endif
