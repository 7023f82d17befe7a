/*
 * The lines of a Fortran source as statements: without comments, the contents
 * of strings and continuations, in small letters.
 *
 *	struct tape_lines l;
 *
 *	tape_lines_start(&l, text, n, 72, "f.f");
 *	while ((rc = tape_lines_next(&l)) > 0)
 *		puts(l.s);
 *	tape_lines_free(&l);
 *
 * Nothing is expanded. Lines below #if 0 are left out.
 */
#ifndef TAPE_LINES_H
#define TAPE_LINES_H

#include <stddef.h>

/* What tape_lines_next found. */
enum { TAPE_STATEMENTS = 1, TAPE_CPP };

struct tape_lines {
	const char *text;
	size_t size;
	int columns; /* the last of a statement in fixed form; 0: free form */

	/*
	 * Statements, with their ";" and labels of free form, or a line that
	 * begins with # (also below #if 0). One blank stands for several, '
	 * for each quote around a string. Ended by NUL.
	 */
	char *s;
	size_t n;
	size_t *at;       /* offset of each byte in the text */
	int *line;        /* and in which line, as compiler messages count */
	size_t begin, end; /* of their lines in the text */
	int end_line;     /* the number of the line after them */
	int label;        /* of fixed form */
	int cut;          /* lines of the preprocessor stand between */
	int more;         /* they continue, perhaps in another branch of #if */

	/* the presumed name of the file; owned */
	char *file;

	/* where it is in the text */
	size_t next;
	long long number; /* of the line there, from 1 */
	long long shift;  /* presumed less that */
	size_t room;
	unsigned depth, dead; /* of open #if; that of an #if 0, or 0 */
	size_t branch;    /* offset of the last #if or #else */
	char quote;       /* of the string that is open, or 0 */
};

/* Non-zero: no memory. */
int tape_lines_start(struct tape_lines *l, const char *text, size_t n,
		     size_t begin, int columns, const char *file);

/* TAPE_STATEMENTS, TAPE_CPP, 0 at the end, or TAPE_ENOMEM. */
int tape_lines_next(struct tape_lines *l);

void tape_lines_free(struct tape_lines *l);

/*
 * The column of byte at, from 1, as the compiler counts; 7 on lines longer than
 * any compiler accepts.
 */
size_t tape_lines_column(const struct tape_lines *l, size_t at);

#endif
