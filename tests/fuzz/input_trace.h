/* A trace directory made of an input, for the targets that read a whole one. */
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include <stddef.h>

/* Makes the directory, which goes with the process; before the first input. */
void fuzz_trace_folder(void);

/*
 * The input's files (input.h), in that directory; a definition file that it
 * leaves out is that of base.h, unless the option FUZZ_BARE asks for none.
 * Returns its path, or NULL where reading it would only be slow.
 */
const char *fuzz_trace_write(const unsigned char *data, size_t n);

#endif
