/* The analyser's side of a trace in progress; see live_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "live_file.h"
#include "record.h"

/* A writer may be testing it just now. */
enum { TRIES = 200, PAUSE_NS = 5000000 };

static int lock_live_file(int fd)
{
	static const struct timespec pause = {0, PAUSE_NS};

	for (int i = 0; i < TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		nanosleep(&pause, NULL);
	}
	errno = EWOULDBLOCK;
	return -1;
}

/* The file as it is to be, of this analyser; 0 or an error. */
static int write_live_head(int fd)
{
	unsigned char head[TAPE_LIVE_BYTES] = {0};
	struct stat s;
	ssize_t n;

	if (fstat(fd, &s))
		return TAPE_EIO;
	n = S_ISREG(s.st_mode) ? pread(fd, head, sizeof head, 0) : -1;
	if (n < 0)
		return TAPE_EFORMAT;
	if ((tape_get32(head) && tape_get32(head) != TAPE_LIVE_MAGIC) ||
	    (tape_get32(head + 4) && tape_get32(head + 4) != TAPE_LIVE_VERSION))
		return TAPE_EFORMAT;
	memset(head, 0, sizeof head);
	tape_put32(head, TAPE_LIVE_MAGIC);
	tape_put32(head + 4, TAPE_LIVE_VERSION);
	tape_put32(head + TAPE_LIVE_PID, (uint32_t)getpid());
	return pwrite(fd, head, sizeof head, 0) == (ssize_t)sizeof head
		   ? 0
		   : TAPE_EIO;
}

static int build_live_path(char *path, size_t n, const char *dir)
{
	if ((size_t)snprintf(path, n, "%s/" TAPE_LIVE_FILE, dir) < n)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int tape_live_hold(struct tape_live *l, const char *dir)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	char path[4096 + 8];
	int rc, e;

	l->starved = l->is_new = 0;
	l->fd = -1;
	if (build_live_path(path, sizeof path, dir))
		return TAPE_EIO;
	l->fd = open(path, flags | O_CREAT | O_EXCL, 0666);
	l->is_new = l->fd >= 0;
	if (l->fd < 0 && errno == EEXIST)
		l->fd = open(path, flags);
	if (l->fd < 0)
		return TAPE_EIO;
	rc = lock_live_file(l->fd) ? TAPE_EIO : write_live_head(l->fd);
	e = errno;
	if (rc)
		tape_live_release(l);
	errno = e;
	return rc;
}

void tape_live_set_starved(struct tape_live *l, int starved)
{
	unsigned char byte = !!starved;

	if (starved == l->starved)
		return;
	if (pwrite(l->fd, &byte, 1, TAPE_LIVE_STARVED) == 1)
		l->starved = starved;
}

void tape_live_release(struct tape_live *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

void tape_live_remove(const struct tape_live *l, const char *dir)
{
	char path[4096 + 8];
	struct stat own, there;

	if (l->is_new && !build_live_path(path, sizeof path, dir) &&
	    !fstat(l->fd, &own) && !lstat(path, &there) &&
	    own.st_dev == there.st_dev && own.st_ino == there.st_ino)
		unlink(path);
}

int tape_live_consume(int fd, uint64_t *done, uint64_t upto)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t end = upto / page * page;
	struct stat s;

	if (end <= *done)
		return 0;
	if (fstat(fd, &s))
		return TAPE_EIO;
	if (s.st_nlink > 1) {
		errno = EMLINK;
		return TAPE_EIO;
	}
	while (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)*done, (off_t)(end - *done)))
		if (errno != EINTR)
			return TAPE_EIO;
	*done = end;
	return 0;
}
