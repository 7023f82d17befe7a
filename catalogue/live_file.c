/* The analyser's side of a trace under way; see live_file.h. */
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
enum { TRIES = 200, PAUSE_NS = 5000000, PAGE = 4096 };

static int lock(int fd)
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
static int fill(int fd)
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

int tape_live_hold(struct tape_live *l, const char *dir)
{
	char path[4096 + 8];
	int rc, e;

	l->hungry = 0;
	l->fd = -1;
	if ((size_t)snprintf(path, sizeof path, "%s/" TAPE_LIVE_FILE, dir) >=
	    sizeof path) {
		errno = ENAMETOOLONG;
		return TAPE_EIO;
	}
	l->fd = open(
	    path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (l->fd < 0)
		return TAPE_EIO;
	rc = lock(l->fd) ? TAPE_EIO : fill(l->fd);
	e = errno;
	if (rc)
		tape_live_release(l);
	errno = e;
	return rc;
}

void tape_live_hungry(struct tape_live *l, int hungry)
{
	unsigned char byte = !!hungry;

	if (hungry == l->hungry)
		return;
	if (pwrite(l->fd, &byte, 1, TAPE_LIVE_HUNGRY) == 1)
		l->hungry = hungry;
}

void tape_live_release(struct tape_live *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

int tape_live_consume(int fd, uint64_t *done, uint64_t upto)
{
	uint64_t end = upto / PAGE * PAGE;

	if (end <= *done)
		return 0;
	while (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)*done, (off_t)(end - *done)))
		if (errno != EINTR)
			return TAPE_EIO;
	*done = end;
	return 0;
}
