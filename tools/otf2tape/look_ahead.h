/*
 * Looks ahead for the operands of nonblocking receives and collectives. An
 * archive has the operands (communicator, peer, bytes) where an operation
 * completes; a trace has them where it begins. So events are read twice. The
 * first pass stores the operands in a file, in the order in which operations
 * begin. Memory is bounded by the operations in progress.
 */
#ifndef OTF2TAPE_LOOK_AHEAD_H
#define OTF2TAPE_LOOK_AHEAD_H

#include "archive.h"

struct look_ahead_op {
	uint64_t bytes, rbytes;
	uint32_t comm;		 /* number of OTF2 */
	uint32_t peer;		 /* or root */
	uint32_t tag, completed; /* completed 0: it never completed */
};

struct look_ahead;

/* The first pass over the events of a rank. */
struct look_ahead *look_ahead_read(const struct archive *a,
				   const struct location *const *list,
				   size_t n);
void look_ahead_free(struct look_ahead *p);

/* Returns the next operation, in the order in which operations begin. */
struct look_ahead_op look_ahead_next(struct look_ahead *p);

#endif
