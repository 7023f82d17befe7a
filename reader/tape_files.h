/*
 * The bytes of an open trace, for tools that copy them: whether each rank has
 * files of its own or those of a host share one, a container (trace-format).
 */
#ifndef TAPE_FILES_H
#define TAPE_FILES_H

#include <sys/types.h>

#include "tape_reader.h"

/*
 * n bytes at that offset of a file of the trace, fewer at its end: how many, or
 * -1 with errno. rank.R and flow.R.T are found also where they are in a
 * container of several ranks, and no files of the directory.
 */
ssize_t tape_trace_bytes(const struct tape_trace *t, const char *name,
			 uint64_t at, void *to, size_t n);

/*
 * Are the files of ranks in containers? Then the name of the i-th of these,
 * from 0; NULL: there are no more.
 */
int tape_trace_in_containers(const struct tape_trace *t);
const char *tape_trace_container(const struct tape_trace *t, size_t i);

/*
 * How records of the class are laid out in flows of format 1, as
 * tape_class_layout says it for this version.
 */
const char *tape_class_first_layout(unsigned class_);

/*
 * Undoes the escapes of a word of a text file (trace-format), in place;
 * returns it.
 */
char *tape_text_unescape(char *word);

#endif
