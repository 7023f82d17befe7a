/*
 * A text that grows. If memory runs out, failed is set and stays set. Begins as
 * all zero; the owner frees p.
 */
#ifndef TAPE_TEXT_H
#define TAPE_TEXT_H

#include <stddef.h>

struct tape_text {
	char *p;
	size_t n, size;
	int failed;
};

void tape_text_put(struct tape_text *t, const char *bytes, size_t n);

/* Up to 255 bytes. */
__attribute__((format(printf, 2, 3))) void
tape_text_format(struct tape_text *t, const char *format, ...);

#endif
