/*
 * The "args" of a call's slice: its fields and its call site. Ranks in
 * communicators are replaced by ranks in MPI_COMM_WORLD.
 */
#ifndef T2CHROME_ARGS_H
#define T2CHROME_ARGS_H

#include "export.h"

struct args;

struct args *args_new(const struct tape_export *x);
void args_free(struct args *a);

/* Writes {"peer":1,...} at p and returns the end. It fits a line of 16 KiB. */
char *args_put_json(struct args *a, char *p, const struct tape_step *s);

/*
 * Returns name as a JSON string of at most 1000 bytes. The string is cached by
 * the address of name, whose text must not change.
 */
const char *args_json_string(struct args *a, const char *name);

#endif
