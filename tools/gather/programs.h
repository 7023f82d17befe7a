/* The traces in the spool, of which parts come from other hosts. */
#ifndef TAPE_PROGRAMS_H
#define TAPE_PROGRAMS_H

#include <stddef.h>

struct programs; /* the spool */
struct program;	 /* a trace in it */

/* Dies where dir is no directory. */
struct programs *programs_open(const char *dir);

/* A new directory for a program of that name; NULL with a sentence in error. */
struct program *programs_begin(struct programs *all, const char *name,
			       char *error, size_t n);

/* The trace in that directory of the spool; the same. */
struct program *programs_find(struct programs *all, const char *dir,
			      char *error, size_t n);

const char *program_dir(const struct program *p);

/*
 * That rank for a process of that identity (TAPE_GATHER_IDENTITY bytes). A rank
 * that is written on this host is not to be had, nor one of another process.
 * Returns it, or -1 with a sentence in error.
 */
int program_own(struct program *p, int rank, const unsigned char *identity,
		char *error, size_t n);

/* The same of the next rank that nobody has. */
int program_number(struct program *p, const unsigned char *identity,
		   char *error, size_t n);

/* That rank sent nothing and will not: as if it had not been. */
void program_forget(struct program *p, int rank);

/* What that rank sends has ended, or begins anew (0). */
void program_gone(struct program *p, int rank, int gone);

/* Writes a message of that rank. Non-zero: no more of it is taken, which was
 * said. */
int program_take(struct program *p, int rank, const void *message,
		 size_t bytes);

/* Is somebody to consume first? */
int program_is_full(struct program *p);

/* Is nothing to be taken any more: it cannot be written, or nobody reads it? */
int program_is_over(const struct program *p);

/* Looks whether analysers are there yet. */
void programs_look(struct programs *all);

/* Was something not taken? */
int programs_broken(void);

/* Gives descriptors back; files are opened again where they are needed. */
void programs_close_files(struct programs *all);

void programs_close(struct programs *all);

#endif
