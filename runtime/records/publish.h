/*
 * Stores a record into the open chunk: all of it ahead of its first byte, which
 * makes it visible. A process killed at any instruction leaves whole records.
 */
#ifndef TAPE_PUBLISH_H
#define TAPE_PUBLISH_H

#include "core.h"

/* Starts a record at p: everything of its code but the first byte. */
static inline TAPE_ALWAYS unsigned char *
tape_code_rest(unsigned char *p, uint64_t code, unsigned char *first)
{
	*first = (unsigned char)(code < 0x80 ? code : (code & 0x7f) | 0x80);
	p++;
	return code < 0x80 ? p : tape_put_varint(p, code >> 7);
}

/* Makes the record visible. */
static inline TAPE_ALWAYS void
tape_publish(struct tape_flow *f, unsigned char *end, unsigned char first)
{
	__atomic_store_n(f->p, first, __ATOMIC_RELEASE);
	f->p = end;
	f->records++;
}

/* Ticks since the previous event; 0 if the clock went back. */
static inline TAPE_ALWAYS uint64_t tape_gap(const struct tape_flow *f,
					    uint64_t start)
{
	uint64_t gap = start - f->last;

	return TAPE_LIKELY((int64_t)gap >= 0) ? gap : 0;
}

#endif
