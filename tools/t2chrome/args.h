/*
 * What is known of a call, as "args" of its slice: its fields with ranks of
 * MPI_COMM_WORLD in the place of those of communicators, and its call site.
 */
#ifndef T2CHROME_ARGS_H
#define T2CHROME_ARGS_H

#include "export.h"

struct args;

struct args *args_new(const struct tape_export *x);
void args_free(struct args *a);

/* {"peer":1,...}: writes it at p and returns the end. Fits a line of 16 KiB. */
char *args_put_json(struct args *a, char *p, const struct tape_step *s);

/*
 * A name as a JSON string, at most 1000 bytes, kept by key: what is at one
 * address always gives the same.
 */
const char *args_json_string(struct args *a, const char *name);

#endif
