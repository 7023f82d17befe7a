/* A small text file that a user names: a model, coefficients of clocks. */
#ifndef TAPE_FILE_INPUT_H
#define TAPE_FILE_INPUT_H

#include <stdio.h>

/*
 * Opens it for reading, or dies with a sentence. What could keep a reader
 * waiting, or has no end (a pipe, a device, more than 16 MiB), is rejected.
 */
FILE *tape_file_input(const char *path);

#endif
