/*
 * Lines of rank.R, the definitions of this rank.
 */
#ifndef TAPE_DEFINE_H
#define TAPE_DEFINE_H

#include "core.h"

/* Opens rank.R and writes its head. */
int tape_define_open(const char *domain_index, char *error, size_t n);

/* The path of the file that they are in, in n bytes at path; returns path. */
const char *tape_define_path(char *path, size_t n);

/* Adds one line (with its newline). Returns non-zero if the write failed. */
__attribute__((format(printf, 1, 2))) int tape_define(const char *format, ...);

/*
 * From now on definitions are also copied to text (n bytes); NULL ends this.
 * Returns non-zero if the definitions since the last call did not fit.
 */
int tape_define_copy(char *text, uint64_t n);

/* Escapes a word into to (n bytes); returns to. */
char *tape_escape(char *to, size_t n, const char *word);

#endif
