/* Pieces of a file that ranks share; see shared_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared_file.h"

/* Pieces are taken on a stack that is large enough. */
TAPE_ON_OWN_STACK

const char *tape_shared_path(char *path, size_t n)
{
	snprintf(path, n, "%s/" TAPE_CONTAINER_PREFIX "%d", tape_process.dir,
		 tape_process.shared - 1);
	return path;
}

int tape_shared_open(struct tape_file *f)
{
	char path[sizeof tape_process.dir + 64];
	const char *dir = tape_process.dir;
	int rc;

	tape_shared_path(path, sizeof path);
	rc = tape_file_adopt(f, dir, path, O_RDWR);
	if (rc && errno == ENOENT) {
		rc = tape_file_create(f, dir, path, O_RDWR);
		if (rc && errno == EEXIST)
			rc = tape_file_adopt(f, dir, path, O_RDWR);
	}
	return rc;
}

/* Of its head, for this descriptor alone; gone with its last copy. */
static int lock_head(int fd, short how)
{
	struct flock l = {.l_type = how,
			  .l_whence = SEEK_SET,
			  .l_start = 0,
			  .l_len = TAPE_CONTAINER_HEAD};

	return TEMP_FAILURE_RETRY(fcntl(fd, F_OFD_SETLKW, &l)) ? errno : 0;
}

static int write_at(int fd, const void *bytes, size_t n, uint64_t at)
{
	ssize_t done = TEMP_FAILURE_RETRY(pwrite(fd, bytes, n, (off_t)at));

	return done == (ssize_t)n ? 0 : done < 0 ? errno : ENOSPC;
}

static uint64_t entry_at(uint32_t entry)
{
	return TAPE_CONTAINER_HEAD + (uint64_t)entry * TAPE_CONTAINER_ENTRY;
}

/* The head as it is; of a new file as it begins. */
static int read_head(int fd, unsigned char *h)
{
	ssize_t n = TEMP_FAILURE_RETRY(pread(fd, h, TAPE_CONTAINER_HEAD, 0));

	if (n < 0)
		return errno;
	if (n < TAPE_CONTAINER_HEAD || !tape_get32(h)) {
		memset(h, 0, TAPE_CONTAINER_HEAD);
		tape_put32(h, TAPE_CONTAINER_MAGIC);
		tape_put32(h + 4, TAPE_CONTAINER_VERSION);
		tape_put64(h + 8, TAPE_CONTAINER_PLACES);
	}
	return tape_get32(h) == TAPE_CONTAINER_MAGIC ? 0 : ESTALE;
}

/* With the lock. The entry counts when the head says so. */
static int add_entry(int fd, unsigned char *e, uint64_t room,
		     struct tape_piece *piece)
{
	unsigned char h[TAPE_CONTAINER_HEAD];
	/* a window must begin on a page */
	uint64_t unit = tape_page_bytes();
	int rc = read_head(fd, h);
	uint64_t n;

	if (rc)
		return rc;
	if (unit < TAPE_CONTAINER_ALIGNED)
		unit = TAPE_CONTAINER_ALIGNED;
	n = tape_get64(h + 16);
	if (n >= TAPE_CONTAINER_ENTRIES)
		return EFBIG;
	piece->place = tape_get64(h + 8);
	piece->entry = (uint32_t)n;
	tape_put64(e + 16, piece->place);
	tape_put64(h + 8, piece->place + (room + unit - 1) / unit * unit);
	tape_put64(h + 16, n + 1);
	rc = write_at(fd, e, TAPE_CONTAINER_ENTRY, entry_at(piece->entry));
	return rc ? rc : write_at(fd, h, sizeof h, 0);
}

int tape_shared_take(int fd, uint32_t thread, uint64_t at, uint64_t room,
		     uint64_t bytes, struct tape_piece *piece)
{
	unsigned char e[TAPE_CONTAINER_ENTRY];
	struct tape_hold hold;
	int rc;

	tape_put32(e, (uint32_t)tape_process.rank);
	tape_put32(e + 4, thread);
	tape_put64(e + 8, at);
	tape_put64(e + 24, bytes);
	tape_hold(&hold);
	rc = lock_head(fd, F_WRLCK);
	if (!rc) {
		rc = add_entry(fd, e, room, piece);
		lock_head(fd, F_UNLCK);
	}
	tape_release(&hold);
	return rc;
}

int tape_shared_set(int fd, const struct tape_piece *piece, uint64_t bytes)
{
	unsigned char b[8];
	struct tape_hold hold;
	int rc;

	tape_put64(b, bytes);
	tape_hold(&hold);
	rc = write_at(fd, b, sizeof b, entry_at(piece->entry) + 24);
	tape_release(&hold);
	return rc;
}
TAPE_ON_OWN_STACK_END
