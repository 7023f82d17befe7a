/*
 * Connects to the host where the trace of this process is followed, by what the
 * environment variable TAPE_GATHER says (catalogue/gathering.h).
 */
#ifndef TAPE_FAR_CONNECT_H
#define TAPE_FAR_CONNECT_H

#include <stddef.h>

#include "gathering.h"

/*
 * Says hello, whose token it fills in, and hears the reply, which is good.
 * Returns a descriptor that does not block, or -1 with a sentence in error.
 */
int tape_far_connect(struct tape_gather_hello *hello,
		     struct tape_gather_reply *reply, char *error, size_t en);

#endif
