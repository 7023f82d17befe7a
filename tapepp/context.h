/*
 * The position in a C source: inside which function, or at file level. Fed with
 * the tokens outside of directives, one by one; the state is a plain value, so
 * that it can be kept at #if and put back at #else.
 */
#ifndef TAPE_CONTEXT_H
#define TAPE_CONTEXT_H

#include "scan.h"

#define TAPE_NONE ((size_t)-1)

struct tape_context {
	size_t depth;       /* of braces, those of extern "C" left out */
	size_t externs;     /* open extern "C" braces */
	size_t parens;      /* open at file level */
	size_t function;    /* token of its name, or TAPE_NONE */
	size_t candidate;   /* the same, should a body follow */
	size_t before[3];   /* the last tokens, the latest first */
	unsigned char aggregate;  /* after struct, union or enum */
	unsigned char assigned;   /* after =, at file level */
	unsigned char is_inline, is_static;
	unsigned char plain_inline; /* the function is, and not static */
	unsigned char broken;       /* a brace closed that none had opened */
};

/* A text with its tokens. */
struct tape_source {
	const char *text;
	const struct tape_token *tokens;
	size_t count;
	int by_column; /* a brace closed in column one ends everything */
};

void tape_context_start(struct tape_context *c);

/* Goes past token i. */
void tape_context_next(struct tape_context *c, const struct tape_source *s,
		       size_t i);

/* True when token i is the identifier word, continuations within aside. */
int tape_source_is(const struct tape_source *s, size_t i, const char *word);

/* True when it is one of words, which NULL ends. */
int tape_source_among(const struct tape_source *s, size_t i,
		      const char *const *words);

/* The code of token i if it is TAPE_OTHER, 0 for others and past the end. */
int tape_source_code(const struct tape_source *s, size_t i);

/*
 * Copies the identifier i without continuations, cut to size - 1 bytes;
 * "" for TAPE_NONE. Returns to.
 */
char *tape_source_name(const struct tape_source *s, size_t i, char *to,
		       size_t size);

#endif
