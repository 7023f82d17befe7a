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

/* A rank that nobody has, which is taken; -1 with a sentence in error. */
int program_number(struct program *p, char *error, size_t n);

/* That rank sent nothing and will not: as if it had not been. */
void program_forget(struct program *p, int rank);

/* What that rank sends has ended, or begins anew (0). */
void program_gone(struct program *p, int rank, int gone);

/* Writes a message of that rank. Non-zero: it cannot, which was said. */
int program_take(struct program *p, int rank, const void *message,
		 size_t bytes);

/* Is somebody to consume first? */
int program_is_full(struct program *p);

/* Is nothing to be taken any more: it cannot be written, or nobody reads it? */
int program_is_over(const struct program *p);

/* Looks whether analysers are there yet. */
void programs_look(struct programs *all);

/* Could something not be written? */
int programs_broken(void);

void programs_close(struct programs *all);

#endif
