/*
 * Reads and writes files, plain or compressed (zlib). No file stays open
 * between two reads, since there can be thousands of files.
 */
#ifndef TAPE_ACTION_TEXT_FILE_H
#define TAPE_ACTION_TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct tape_action_file;

/* Returns NULL if out of memory. path is copied. */
struct tape_action_file *tape_action_file_open(const char *path);
void tape_action_file_close(struct tape_action_file *f);

/*
 * Reads up to n bytes. Returns the number of bytes, 0 at the end, or -1 with
 * the reason in *why.
 */
long tape_action_file_read(struct tape_action_file *f, char *to, size_t n,
			   const char **why);

struct tape_action_out;
struct tape_action_out *tape_action_out_new(int fd, int compressed);
/*
 * Writes n bytes; n 0 ends the file. Returns 0, TAPE_EIO with errno set, or
 * TAPE_ENOMEM.
 */
int tape_action_out_write(struct tape_action_out *f, const char *bytes,
			  size_t n);
void tape_action_out_free(struct tape_action_out *f);
int tape_action_out_can_compress(void);

#endif
