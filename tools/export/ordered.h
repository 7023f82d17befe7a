/*
 * Lines of text in the order of their times, however they come: what export
 * formats ask for that want a sorted file. Those of one time keep the order in
 * which they were added. Memory does not grow with their number: what does not
 * fit is sorted in parts, which wait in a file without a name in $TMPDIR (else
 * /tmp) and are merged.
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
 * All of it dies with a sentence where memory or the disk is full.
 */
#ifndef TAPE_ORDERED_H
#define TAPE_ORDERED_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct tape_ordered;

/* No line is longer, bytes; files are written in such blocks. */
#define TAPE_ORDERED_LINE 16384
#define TAPE_ORDERED_BLOCK (1 << 20)

struct tape_ordered *tape_ordered_new(void);

/* The same with parts of so many bytes, for tests: a line's or more. */
struct tape_ordered *tape_ordered_new_of(size_t bytes);
void tape_ordered_free(struct tape_ordered *o);

/* Where the next line can be written: TAPE_ORDERED_LINE bytes. */
char *tape_ordered_reserve(struct tape_ordered *o);

/* It is written, up to end. */
void tape_ordered_add(struct tape_ordered *o, int64_t ns, const char *end);

/* All lines, in order. Nothing is added after that. */
void tape_ordered_write(struct tape_ordered *o, FILE *f);

/* ---- numbers and words, faster than printf; each gives the end ---- */

static inline char *tape_text(char *p, const char *s)
{
	size_t n = strlen(s);

	memcpy(p, s, n);
	return p + n;
}

char *tape_text_number(char *p, int64_t v);
char *tape_text_unsigned(char *p, uint64_t v);

/* ns as a decimal number with 3 or 9 places: microseconds, seconds. */
char *tape_text_us(char *p, int64_t ns);
char *tape_text_s(char *p, int64_t ns);

#endif
