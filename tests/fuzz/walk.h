/*
 * Uses everything that the reader gives and holds it against its contract in
 * tape_reader.h; what breaks it ends the process by abort.
 */
#ifndef FUZZ_WALK_H
#define FUZZ_WALK_H

#include "tape_reader.h"

/* Reads a flow to its end or error; the number of events. */
size_t fuzz_walk_flow(struct tape_trace *t, struct tape_flow *f);

/*
 * Opens the directory, looks at all definitions, reads each flow and their
 * merge. Returns 0 when everything was whole, else a negative TAPE_E code
 * with its sentence in text, of size bytes.
 */
int fuzz_walk_trace(const char *path, char *text, size_t size);

/* The sentence must name a file, and an offset or line unless it is of EIO. */
void fuzz_check_sentence(int code, const char *sentence, const char *file);

#endif
