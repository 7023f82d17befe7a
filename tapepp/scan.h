/*
 * The tokens of a C source, as far as finding calls needs them: blanks,
 * comments and line continuations are left out, and nothing is expanded.
 */
#ifndef TAPE_SCAN_H
#define TAPE_SCAN_H

#include <stddef.h>

enum tape_token_kind {
	TAPE_IDENTIFIER,
	TAPE_NUMBER,
	TAPE_STRING,    /* also character constants and <header.h> */
	TAPE_DIRECTIVE, /* the # that begins one */
	TAPE_END,       /* the newline that ends a directive */
	TAPE_PASTE,     /* ## */
	TAPE_OTHER      /* any other byte; code says which */
};

/* The code of "->"; that of other TAPE_OTHER tokens is their character. */
#define TAPE_ARROW 1

struct tape_token {
	size_t at, n; /* its bytes in the text; may hold continuations */
	int line;     /* where it begins, from 1 */
	unsigned char kind, code;
	unsigned char first; /* it is in the first column */
};

/*
 * Splits text (n bytes of any value, not ended by NUL) from byte start on.
 * Digraphs get the code of what they stand for; a directive that the end of
 * the text ends has no TAPE_END.
 *
 * On success *tokens holds *count tokens, to be freed by the caller; on error
 * it is NULL. Returns 0, TAPE_ENOMEM or TAPE_ERANGE (more than 1 GiB).
 */
int tape_scan(const char *text, size_t n, size_t start,
	      struct tape_token **tokens, size_t *count);

#endif
