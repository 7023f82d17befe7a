/*
 * The bytes of a flow that is written: a chunk at a time, of which a piece is
 * in memory. A piece is a whole chunk, unless the trace has many flows: then it
 * is small, and the file is open only while a piece is written, so that any
 * number of flows needs few descriptors.
 *
 *	if (!tape_chunk_out_room(c))
 *		the chunk is full: tape_chunk_out_end(c, &header, 0)
 *	c->p = put(c->p, ...)       at most TAPE_RECORD_MAX bytes, twice
 *
 * The first thing that fails is kept in error, and nothing is written from then
 * on.
 */
#ifndef TAPE_CHUNK_OUT_H
#define TAPE_CHUNK_OUT_H

#include "output.h"
#include "record.h"

struct tape_chunk_out {
	unsigned char *p;  /* where the next record goes */
	uint32_t sequence; /* of the chunk in progress */
	int error;	   /* an errno */
	/* its own */
	struct tape_output *o;
	char name[64];
	int fd; /* -1: open while something is written */
	unsigned char *piece, *full;
	size_t room, most, written; /* of the piece; of the chunk */
	struct tape_checksum *sum; /* of what is written */
};

/* Makes the file name in o; dies where it cannot. */
void tape_chunk_out_open(struct tape_chunk_out *c, struct tape_output *o,
			 const char *name);

/* 1: there is room for two records in the chunk, and now in the piece. */
int tape_chunk_out_more(struct tape_chunk_out *c);
static inline int tape_chunk_out_room(struct tape_chunk_out *c)
{
	return c->p <= c->full || tape_chunk_out_more(c);
}

/* Bytes of records in the chunk so far. */
uint32_t tape_chunk_out_used(const struct tape_chunk_out *c);

/*
 * Ends the chunk: used and checksum of its header are set here, the rest is
 * given. The next one follows, in a slot of its own. open: as of a process that
 * was killed, which has no records.
 */
void tape_chunk_out_end(struct tape_chunk_out *c, struct tape_chunk *header,
			int open);

/* Closes the file. Sets error where that fails. */
void tape_chunk_out_close(struct tape_chunk_out *c);

/* The file's path, for sentences; until the next such call. */
const char *tape_chunk_out_path(const struct tape_chunk_out *c);

#endif
