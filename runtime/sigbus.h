/*
 * Chunks are a mapped file, and that may lose its room: it is cut by somebody,
 * or copied on write on a disk that is full, where no room can be kept. The
 * store into it then raises SIGBUS. A handler takes those addresses, and these
 * only: the thread's tracing ends, the program goes on. Any other SIGBUS, and
 * whoever sets or asks for the handler, meets what the program has set.
 */
#ifndef TAPE_SIGBUS_H
#define TAPE_SIGBUS_H

#include <signal.h>

/* From here on, and until then; errno is kept. */
void tape_sigbus_start(void);
void tape_sigbus_stop(void);

/*
 * sigaction for SIGBUS as the program sees it: 0, or -1 with errno. Not to be
 * called before the other one was.
 */
int tape_sigbus_action(const struct sigaction *new, struct sigaction *old);

/* Is the handler in place? Else SIGBUS is nothing special. */
int tape_sigbus_is_watched(void);

/* The C library's, past ours. */
int tape_real_sigaction(int n, const struct sigaction *new,
			struct sigaction *old)
    __attribute__((visibility("hidden")));

#endif
