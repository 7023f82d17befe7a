/* What tapestat prints of a run, and tapelive when it is over. */
#ifndef STAT_OUTPUT_OPTIONS_H
#define STAT_OUTPUT_OPTIONS_H

#include "stat.h"

enum { STAT_LINES = 10 };

struct stat_answer {
	int wanted[STAT_TABLES], any, all;
	enum sheet_format format;
	size_t lines;
	const char *phase; /* that begins phases; NULL: what is found */
	int once;	   /* the trace cannot be read again: phases
			    * are those of a log */
	/* prints what the tool adds, at the end, in that format: in JSON
	 * members, each after a comma; NULL: nothing */
	void (*more)(void *self, enum sheet_format format);
	void *self;
};

/* That table is wanted, too; dies with a sentence where it is none. */
void stat_output_add_table(struct stat_answer *a, const char *name);

/* What was wanted does not go together: dies with a sentence. */
void stat_output_check(const struct stat_answer *a);

/* Prints all of it on standard output. */
void stat_output_print(struct stats *s, const struct stat_answer *a);

#endif
