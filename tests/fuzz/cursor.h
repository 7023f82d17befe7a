/*
 * What the targets of tapepp share: the sources that it wrote are read along
 * with those that it was given. Ends the process where tapepp broke its word.
 */
#ifndef TAPE_FUZZ_CURSOR_H
#define TAPE_FUZZ_CURSOR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition) \
	((condition) ? (void)0 : broken(__FILE__, __LINE__, #condition))

__attribute__((noreturn)) static inline void
broken(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: tapepp broke its contract: %s\n", file, line,
		what);
	abort();
}

/* A text being read. */
struct cursor {
	const char *p, *end;
};

static inline int starts(const struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(c->end - c->p) >= n && !memcmp(c->p, word, n);
}

static inline int take(struct cursor *c, const char *word)
{
	if (!starts(c, word))
		return 0;
	c->p += strlen(word);
	return 1;
}

#endif
