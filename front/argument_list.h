/* A growing command line: words, then NULL. */
#ifndef TAPE_ARGUMENT_LIST_H
#define TAPE_ARGUMENT_LIST_H

#include <stddef.h>

struct argument_list {
	char **word; /* NULL: there is none yet */
	size_t n, room;
};

/* Appends the word, which stays the caller's. Dies where memory runs out. */
void arguments_add(struct argument_list *w, const char *word);

/* Appends every word of a list that ends with NULL. */
void arguments_add_all(struct argument_list *w, char *const *list);

/* Appends a word of its own, in printf's way. */
__attribute__((format(printf, 2, 3))) void
arguments_print(struct argument_list *w, const char *format, ...);

#endif
