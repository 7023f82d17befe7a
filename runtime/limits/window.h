/*
 * The file of a flow: a window of it is mapped, allocated on the disk before
 * it is mapped and touched before it is used, so that a full disk is an error
 * code here and never a signal in the program, and an event costs no page
 * fault. What was stored survives the death of the process.
 */
#ifndef TAPE_OUTPUT_H
#define TAPE_OUTPUT_H

#include <sys/types.h>

#include "core.h"

/*
 * Creates flow.R.T in the trace directory and opens its first chunk at the
 * current tick. Returns 0 or a negative TAPE_E code (errno is set).
 */
int tape_output_open(struct tape_flow *f);

/* Stores the file's name in path (n bytes); returns path. */
const char *tape_output_path(const struct tape_flow *f, char *path, size_t n);

/* Returns the offset of the window in that file. */
off_t tape_output_place(const struct tape_flow *f);

/* Opens the chunk at f->chunk, at the tick f->last. */
void tape_output_begin(struct tape_flow *f);

/*
 * Returns the bytes of the new window that the next chunk in the file needs, or
 * 0 if the mapped window has space for it. A gap begins only at a new window.
 */
uint64_t tape_output_needs(const struct tape_flow *f);

/*
 * Seals the open chunk and opens the next one. Returns 0, or the reason why
 * the flow has to end there; the chunk then still has room for the end.
 */
enum tape_end tape_output_chunk(struct tape_flow *f);

/*
 * Seals the chunk, cuts the file to what is used and closes it. ours: the flow
 * is the calling thread's (or its thread has ended).
 */
void tape_output_close(struct tape_flow *f, int ours);

/* Writes header fields of the open chunk anew (count, length, checksum). */
void tape_output_seal(struct tape_flow *f);

#endif
