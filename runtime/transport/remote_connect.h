/*
 * Connects to the host where the trace of this process is followed, by what the
 * environment variable TAPE_GATHER says (catalogue/gather_protocol.h).
 */
#ifndef TAPE_REMOTE_CONNECT_H
#define TAPE_REMOTE_CONNECT_H

#include <stddef.h>

#include "gather_protocol.h"

/*
 * Sends hello with the token filled in and receives the reply. Returns a
 * non-blocking descriptor, or -1 with a message in error.
 */
int tape_remote_connect(struct tape_gather_hello *hello,
			struct tape_gather_reply *reply, char *error,
			size_t en);

/* Returns 1 if TAPE_GATHER can be reached from this host only. */
int tape_remote_is_local(void);

/*
 * Called before processes are started on other hosts: they can connect by the
 * new value of TAPE_GATHER. Returns 0, or -1 with a message in error.
 */
int tape_remote_admit_hosts(char *error, size_t en);

#endif
