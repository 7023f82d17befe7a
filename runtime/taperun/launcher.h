/*
 * What taperun hands to the program in its environment, directly or through a
 * launcher's own options: the settings (TAPE_...) and
 *
 *	LD_PRELOAD	the library, before what the user preloads
 *	ASAN_OPTIONS	verify_asan_link_order=0: a program with gcc's address
 *			sanitizer as a library does not start where another
 *			library comes before that one, as those of LD_PRELOAD do
 */
#ifndef TAPE_LAUNCHER_H
#define TAPE_LAUNCHER_H

#include "library_family.h"

/* Sets this process's environment. Returns non-zero without memory (errno). */
int tape_launcher_set_environment(const char *library);

/*
 * The arguments for a launcher of that family, argc of them in argv, with
 * options that hand it over; the launcher itself stays as it is. What the user
 * passes under one of these names is joined with it. Programs are separated
 * by ":"; for Open MPI each has options of its own, what Hydra reads before the
 * first program is for all. NULL: no memory.
 */
char **tape_launcher_arguments(char **argv, int argc, enum tape_family launcher,
			       const char *library);

/* Position in the words of a launcher's command; begins with zeros. */
struct tape_launcher_words {
	int is_program; /* a program's name or its arguments, up to a ":" */
	int values;	/* words still to come that are an option's values, or
			   TAPE_LAUNCHER_UNKNOWN after an unknown one */
};

/*
 * The next word, after the launcher's name. Returns 1 if the word is the
 * launcher's own (an option, a value, ":"), 0 if it is a program's: the first
 * word that is neither an option nor a value, and all after it. After an
 * option that launcher_options.c does not know, a word is the program if there
 * is one of that name, else a value.
 */
int tape_launcher_owns(struct tape_launcher_words *w, const char *word);

#endif
