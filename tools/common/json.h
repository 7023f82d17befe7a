/* JSON on standard output: what printf alone cannot do. */
#ifndef TAPE_JSON_H
#define TAPE_JSON_H

/* Prints s as a string with its quotes; bytes beyond ASCII as Latin-1. */
void tape_json_string(const char *s);

/* Prints v, or null where it is not finite. */
void tape_json_number(double v);

#endif
