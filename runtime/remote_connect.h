/*
 * Connects to the host where the trace of this process is followed, by what the
 * environment variable TAPE_GATHER says (catalogue/gather_protocol.h).
 */
#ifndef TAPE_REMOTE_CONNECT_H
#define TAPE_REMOTE_CONNECT_H

#include <stddef.h>

#include "gather_protocol.h"

/*
 * Says hello, whose token it fills in, and hears the reply, which is good.
 * Returns a descriptor that does not block, or -1 with a sentence in error.
 */
int tape_remote_connect(struct tape_gather_hello *hello,
			struct tape_gather_reply *reply, char *error,
			size_t en);

/* Can TAPE_GATHER be reached from this host only? */
int tape_remote_is_local(void);

/*
 * Processes will be started on other hosts: these are to reach it, too, by the
 * new value of TAPE_GATHER. Returns 0, or -1 with a sentence in error.
 */
int tape_remote_admit_hosts(char *error, size_t en);

#endif
