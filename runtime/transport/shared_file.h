/*
 * The files of this rank as pieces of a file that the ranks of its host share
 * (layout = node; container.h of the catalogue). A rank that needs space
 * reserves an entry of the index and an extent after the index. It holds a lock
 * of the file for a few system calls. Afterwards no other rank uses either of
 * them.
 */
#ifndef TAPE_SHARED_FILE_H
#define TAPE_SHARED_FILE_H

#include "container.h"
#include "core.h"

/* Returns 1 if there is such a file. Decided before the first file is made. */
static inline int tape_shared_is_used(void)
{
	return tape_process.shared != 0;
}

/* Stores its path in path (n bytes); returns path. */
const char *tape_shared_path(char *path, size_t n);

/* Opens it, and makes it if it is not there. Returns 0 or TAPE_EIO (errno). */
int tape_shared_open(struct tape_file *f);

/*
 * Takes a piece for thread's flow of this rank or, with TAPE_CONTAINER_TEXT,
 * its definitions: room bytes, of which the first bytes count as written. Where
 * it is goes to *piece. Nothing is allocated. Returns 0 or an errno: EFBIG when
 * the index is full.
 */
int tape_shared_take(int fd, uint32_t thread, uint64_t at, uint64_t room,
		     uint64_t bytes, struct tape_piece *piece);

/* Sets the written bytes of the piece. Returns 0 or an errno. */
int tape_shared_set(int fd, const struct tape_piece *piece, uint64_t bytes);

#endif
