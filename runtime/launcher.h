/*
 * What taperun hands to the program in its environment, directly or through a
 * launcher's own options: the settings (TAPE_...) and
 *
 *	LD_PRELOAD	the library, before what the user preloads
 *	ASAN_OPTIONS	verify_asan_link_order=0: a program with gcc's address
 *			sanitizer as a library refuses to start where another
 *			library comes before that one, as those of LD_PRELOAD do
 */
#ifndef TAPE_LAUNCHER_H
#define TAPE_LAUNCHER_H

#include "family.h"

/* Puts it into this process's environment. Non-zero: no memory (errno). */
int tape_handed_set(const char *library);

/*
 * The arguments for a launcher of that family, argc of them in argv, with
 * options that hand it over; the launcher itself stays as it is. What the user
 * hands over under one of these names is joined with it. Programs are separated
 * by ":"; for Open MPI each has options of its own, what Hydra reads before the
 * first program is for all. NULL: no memory.
 */
char **tape_launcher_arguments(char **argv, int argc, enum tape_family launcher,
			       const char *library);

/*
 * Is that word of a launcher's command line a program? Its arguments follow, up
 * to a ":". A value of an option that is called like a program counts as one,
 * too, but for those that tape_launcher_values() knows.
 */
int tape_launcher_is_program(const char *word);

/* How many words behind that option are its values, as far as is sure. */
int tape_launcher_values(const char *option);

#endif
