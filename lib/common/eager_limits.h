/*
 * Messages that a library sends without waiting for their receives, by the
 * limits in the trace: lines "eager TRANSPORT BYTES [measured]" of its meta.
 */
#ifndef TAPE_EAGER_LIMITS_H
#define TAPE_EAGER_LIMITS_H

#include "distance.h"
#include "tape_reader.h"

/*
 * By enum tape_distance: TRANSPORT of such a line; the property of an OTF2
 * archive that has the rest of the line. NULL for distances without a limit of
 * their own.
 */
extern const char *const tape_eager_transport[TAPE_DISTANCES];
extern const char *const tape_eager_property[TAPE_DISTANCES];

/*
 * Returns the distance (enum tape_distance) that such a line is about, without
 * its first word; -1: it is no such line. Sets *bytes to the limit, and
 * *measured to 1 if that has no header in it.
 */
int tape_eager_limit_parse(const char *line, uint64_t *bytes, int *measured);

struct tape_eager_limits {
	/* of self, shm and net, without what the library adds to a message */
	uint64_t bytes[TAPE_DISTANCES];
	int is_known[TAPE_DISTANCES];
};

void tape_eager_limits_read(struct tape_eager_limits *e,
			    const struct tape_trace *t);

/*
 * Returns 1 if a send of so many bytes from rank to rank by that call certainly
 * ends without its receive. A rank that is long in it is off its processor, or
 * the library has no room; its receiver is not late.
 */
int tape_eager_limits_hold(const struct tape_eager_limits *e,
			   const struct tape_trace *t, unsigned call, int from,
			   int to, uint64_t bytes);

/*
 * Returns 1 if such a send certainly ends after its receive began: it is
 * synchronous, or above the limit without what the library adds.
 */
int tape_eager_limits_exceed(const struct tape_eager_limits *e,
			     const struct tape_trace *t, unsigned call,
			     int from, int to, uint64_t bytes);

#endif
