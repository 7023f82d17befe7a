/*
 * Sorts lines of text by time, for formats that need a sorted file. Lines of
 * equal time keep the order in which they were added. Memory is bounded: lines
 * that do not fit are sorted in parts, which are stored in an unnamed file in
 * $TMPDIR (else /tmp) and merged.
 *
 *	struct tape_ordered *o = tape_ordered_new();
 *	char *p = tape_ordered_room(o);
 *
 *	p = tape_text_number(p, 42);
 *	*p++ = '\n';
 *	tape_ordered_add(o, time_ns, p);
 *	...
 *	tape_ordered_write(o, file);
 *	tape_ordered_free(o);
 *
 * All functions die with a message if memory or the disk is full.
 */
#ifndef TAPE_ORDERED_H
#define TAPE_ORDERED_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct tape_ordered;

/* Longest line, and block size of files, bytes. */
#define TAPE_ORDERED_LINE 16384
#define TAPE_ORDERED_BLOCK (1 << 20)

struct tape_ordered *tape_ordered_new(void);

/* As above, with parts of that many bytes, at least one line; for tests. */
struct tape_ordered *tape_ordered_new_of(size_t bytes);
void tape_ordered_free(struct tape_ordered *o);

/* Returns TAPE_ORDERED_LINE bytes for the next line. */
char *tape_ordered_reserve(struct tape_ordered *o);

/* Adds the line that was written there, up to end. */
void tape_ordered_add(struct tape_ordered *o, int64_t ns, const char *end);

/* Writes all lines in order. No line may be added afterwards. */
void tape_ordered_write(struct tape_ordered *o, FILE *f);

/* ---- numbers and words, faster than printf; each returns the end ---- */

static inline char *tape_text(char *p, const char *s)
{
	size_t n = strlen(s);

	memcpy(p, s, n);
	return p + n;
}

char *tape_text_number(char *p, int64_t v);
char *tape_text_unsigned(char *p, uint64_t v);

/* Write ns as microseconds with 3 decimals; as seconds with 9 decimals. */
char *tape_text_us(char *p, int64_t ns);
char *tape_text_s(char *p, int64_t ns);

#endif
