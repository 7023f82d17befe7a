/*
 * The rewritten Fortran source: its bytes, and announcements of call sites
 * between them.
 */
#ifndef TAPE_INSERT_H
#define TAPE_INSERT_H

#include "text.h"

struct tape_insert {
	const char *source;
	size_t copied; /* bytes of the source that are in text */
	int columns;   /* of fixed form; 0: free form */
	struct tape_text text;
};

struct tape_place {
	const char *file, *function;
	int line;
};

/* Copies the source up to byte end; never goes back. */
void tape_insert_copy(struct tape_insert *t, size_t end);

void tape_insert_text(struct tape_insert *t, const char *s);
void tape_insert_blanks(struct tape_insert *t, size_t n);

/* A line directive: the next line is that line of file. */
void tape_insert_line(struct tape_insert *t, int line, const char *file);

/* The statement that announces a call with one of these numbers at place. */
void tape_insert_announcement(struct tape_insert *t, int of_mpi, unsigned first,
			      unsigned last, const struct tape_place *place);

#endif
