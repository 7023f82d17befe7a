/*
 * Which calls, regions and files are recorded: lists of patterns.
 *
 *	-MPI_Iprobe, -MPI_Type_*	everything but these
 *	solve -io_*			only solve, and of it not io_*
 *
 * Words are separated by commas or blanks. A word is a pattern of fnmatch(3)
 * (* ? [...]), after - (taken away) or + or nothing (put in); of several that
 * match a name the last one counts. A list whose first word has a sign changes
 * what is recorded without it, one whose first word has none replaces it.
 *
 * Lists are strings of their owner; nothing here allocates or keeps anything.
 */
#ifndef TAPE_FILTER_H
#define TAPE_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "tape_ids.h"

/* Bytes of a list with its NUL, and words of one: bits of a mask. */
#define TAPE_LIST_BYTES 1024u
#define TAPE_LIST_WORDS 64u

/* What a list says of a name. */
enum tape_verdict { TAPE_OUT, TAPE_IN, TAPE_UNSAID };

/*
 * Returns 1 if the list is not too long, has not too many words, and no word
 * without a pattern.
 */
int tape_list_is_valid(const char *list);

/* Returns 1 if the list changes the default. An empty list does. */
int tape_list_changes(const char *list);

/*
 * What the list says of name. Unless hits is NULL, the bit of each word that
 * matched is set in *hits.
 */
enum tape_verdict tape_list_verdict(const char *list, const char *name,
				    uint64_t *hits);

/* As above, for a file: patterns without "/" match its last component. */
enum tape_verdict tape_list_file(const char *list, const char *path,
				 uint64_t *hits);

/* Copies the pattern of the n-th word, from 0; NULL: there are not as many. */
char *tape_list_word(const char *list, unsigned n, char *word, size_t size);

/* ---- calls ---- */

/*
 * The groups that the list names, as bits 1 << enum tape_group; names take no
 * patterns but "all" and "none". Returns 0 or TAPE_ERANGE.
 */
int tape_filter_groups(const char *list, uint32_t *groups);

/*
 * The first pattern of the list that matches no call, copied to word, or NULL:
 * all of them do.
 */
const char *tape_filter_unknown(const char *list, char *word, size_t size);

/*
 * wanted[call] = 1 for each call that is recorded (TAPE_CALL_COUNT of them):
 * those of the groups, as changed or replaced by the list of calls. The group
 * "always" is.
 */
void tape_filter_calls(uint32_t groups, const char *list,
		       unsigned char *wanted);

/* Returns 1 for a call that cannot be switched off. */
int tape_filter_is_always(unsigned call);

/* The class of an event of that call (enum tape_class). */
int tape_filter_class(unsigned call);

/* What it is beyond that: bits of enum tape_trait. */
unsigned tape_filter_traits(unsigned call);

/* The names of the groups, "a, b, c", into text. */
char *tape_filter_group_names(char *text, size_t size);

#endif
