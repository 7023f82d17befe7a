/* JSON on standard output: what printf alone cannot do. */
#ifndef TAPE_JSON_H
#define TAPE_JSON_H

#include <stdio.h>

/*
 * Prints s, UTF-8, as a string with its quotes: characters that cannot be
 * shown (escape.h) as \uNNNN, bytes that are none as U+FFFD.
 */
void tape_json_string(const char *s);

/* The same to a stream. */
void tape_json_put(FILE *f, const char *s);

/* Prints v, or null where it is not finite. */
void tape_json_number(double v);

#endif
