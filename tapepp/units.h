/*
 * The position in a Fortran source: inside which program, module, subroutine or
 * function. Fed with the statements one by one.
 */
#ifndef TAPE_UNITS_H
#define TAPE_UNITS_H

#include <stddef.h>

#define TAPE_UNITS_DEPTH 16
#define TAPE_UNIT_NAME 64 /* Fortran's names have 63 characters at most */

struct tape_units {
	unsigned depth; /* may be more than there are names for */
	char name[TAPE_UNITS_DEPTH][TAPE_UNIT_NAME];
	unsigned before[TAPE_UNITS_DEPTH]; /* depth at each open #if */
	unsigned char in_interface, in_submodule;
};

/*
 * Goes past a statement, [s, end) as tape_lines_next gives it, without label.
 * Non-zero: it begins or ends a unit.
 */
int tape_units_statement(struct tape_units *u, const char *s, const char *end);

/*
 * Goes past a line of the preprocessor, its word after # at p; depth is that
 * of #if, the line's own counted.
 */
void tape_units_cpp(struct tape_units *u, const char *p, const char *end,
		    unsigned depth);

/* The innermost unit; "" where none has a name. */
const char *tape_units_name(const struct tape_units *u);

/* ---- words of statements ---- */

/* Bytes of the word at p, 0 for none. */
size_t tape_word(const char *p, const char *end);

/* Is the word at p, of n bytes, word? */
int tape_word_is(const char *p, size_t n, const char *word);

/* Past blanks. */
const char *tape_past_blanks(const char *p, const char *end);

/* Past the parentheses that open at p; NULL: they do not close. */
const char *tape_past_parens(const char *p, const char *end);

#endif
