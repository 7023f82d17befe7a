/*
 * A text that grows. What does not fit into memory sets failed, which stays.
 * Begins as all zero; p is to be freed by its owner.
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
