/* The verbs of tape, from the table of all programs (options/programs.c). */
#ifndef TAPE_VERBS_H
#define TAPE_VERBS_H

#include <stdio.h>

#include "program_options.h"

/* Returns the verb or program of that name, or NULL: "dump" and "tapedump"
 * are tapedump. */
const struct tape_program *verb_find(const char *word);

/* Returns 1 if tape itself does what the verb says, 0 for another program. */
int verb_is_own(const struct tape_program *p);

/* Returns the verb whose name is nearest to the word; NULL: none is near. */
const char *verb_nearest(const char *word);

/* Becomes the program of a verb with the arguments after argv[0]. */
__attribute__((noreturn)) void verb_become(const struct tape_program *p,
					   int argc, char **argv);

/* Prints all verbs, grouped by the question that they answer. */
void verbs_print(FILE *to);

/* The last component of the name of a program: "taperun --simulate" is
 * "taperun". Returns a string of the caller's. */
char *verb_program(const struct tape_program *p);

#endif
