/*
 * What becomes of the nonblocking receives and collectives of a rank. An
 * archive says only where they complete what they were (communicator, peer,
 * bytes); a trace says it where they begin. So events are read twice: first to
 * note this in a file, in the order in which operations begin, then to use it.
 * Memory is that of the operations under way.
 */
#ifndef OTF2TAPE_POSTED_H
#define OTF2TAPE_POSTED_H

#include "archive.h"

struct posted_op {
	uint64_t bytes, rbytes;
	uint32_t comm;           /* as OTF2 numbers it */
	uint32_t peer;           /* or root */
	uint32_t tag, completed; /* 0: it never was */
};

struct posted;

/* Reads the events of a rank for the first time. */
struct posted *posted_read(const struct archive *a,
			   const struct location *const *list, size_t n);
void posted_free(struct posted *p);

/* The next one that begins. */
struct posted_op posted_next(struct posted *p);

#endif
