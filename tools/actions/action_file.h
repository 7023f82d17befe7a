/*
 * Bytes to a file and from one, plain or compressed (zlib). No file is open
 * between two calls of reading, for there may be thousands.
 */
#ifndef TAPE_ACTION_TEXT_FILE_H
#define TAPE_ACTION_TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct tape_action_file;

/* NULL: out of memory. path is copied. */
struct tape_action_file *tape_action_file_open(const char *path);
void tape_action_file_close(struct tape_action_file *f);

/* So many bytes at most: how many, 0 at the end, or -1, and why. */
long tape_action_file_read(struct tape_action_file *f, char *to, size_t n,
			   const char **why);

struct tape_action_out;
struct tape_action_out *tape_action_out_new(int fd, int compressed);
/* 0, or TAPE_EIO with errno, or TAPE_ENOMEM. n 0: it is the end. */
int tape_action_out_write(struct tape_action_out *f, const char *bytes,
			  size_t n);
void tape_action_out_free(struct tape_action_out *f);
int tape_action_out_can_compress(void);

#endif
