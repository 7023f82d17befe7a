/*
 * The text that a Fortran source becomes: bytes of the source, and between them
 * what says where calls stand.
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

/* Takes the source over, up to byte end; not back. */
void tape_insert_copy(struct tape_insert *t, size_t end);

void tape_insert_text(struct tape_insert *t, const char *s);
void tape_insert_blanks(struct tape_insert *t, size_t n);

/* A line directive: what follows is that line of file. */
void tape_insert_line(struct tape_insert *t, int line, const char *file);

/* The statement that a call with one of these numbers stands at place. */
void tape_insert_announcement(struct tape_insert *t, int of_mpi, unsigned first,
			      unsigned last, const struct tape_place *place);

#endif
