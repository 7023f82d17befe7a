/*
 * What becomes of the nonblocking receives and collectives of a rank. An
 * archive says only where they complete what they were (communicator, peer,
 * bytes); a trace says it where they begin. So events are read twice: first to
 * note this in a file, in the order in which operations begin, then to use it.
 * Memory is that of the operations under way.
 */
#ifndef OTF2TAPE_LOOK_AHEAD_H
#define OTF2TAPE_LOOK_AHEAD_H

#include "archive.h"

struct look_ahead_op {
	uint64_t bytes, rbytes;
	uint32_t comm;		 /* as OTF2 numbers it */
	uint32_t peer;		 /* or root */
	uint32_t tag, completed; /* 0: it never was */
};

struct look_ahead;

/* Reads the events of a rank for the first time. */
struct look_ahead *look_ahead_read(const struct archive *a,
				   const struct location *const *list,
				   size_t n);
void look_ahead_free(struct look_ahead *p);

/* The next one that begins. */
struct look_ahead_op look_ahead_next(struct look_ahead *p);

#endif
