/* Files inside the traced program; see file.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "file.h"

/* Above what programs and select() use, below the usual limit of 1024. */
enum { HIGH = 960 };

/*
 * The kernel's table of descriptors grows to the highest number and never
 * shrinks. It takes a moment while the process has one thread only, as here;
 * with several the kernel waits until none of them can be using the old one (an
 * RCU grace period), 7 to 20 ms.
 */
__attribute__((constructor)) static void grow_descriptor_table(void)
{
	int e = errno, fd = open("/", O_PATH | O_CLOEXEC);
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH);

	if (fd >= 0)
		close(fd);
	if (high >= 0)
		close(high);
	errno = e;
}

static int raise_number(int fd)
{
	int high = fd < 0 ? -1
			  : (int)TEMP_FAILURE_RETRY(
				    fcntl(fd, F_DUPFD_CLOEXEC, HIGH));

	if (high < 0)
		return fd; /* the limit is low: then as it is */
	close(fd);
	return high;
}

int tape_file_is_ours(const struct tape_file *f)
{
	struct stat s;

	return f->fd >= 0 && !fstat(f->fd, &s) &&
	       (uint64_t)s.st_dev == f->dev && (uint64_t)s.st_ino == f->ino;
}

int tape_file_open(const char *dir, const char *name, int flags)
{
	int at = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd, e;

	if (at < 0)
		return -1;
	fd = (int)TEMP_FAILURE_RETRY(
		openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, 0666));
	e = errno;
	close(at);
	errno = e;
	return fd;
}

/* A thread that is being cancelled does not end in here. */
static int open_high(const char *dir, const char *path, int flags)
{
	int cancelling, fd;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	fd = raise_number(
		tape_file_open(dir, strrchr(path, '/') + 1, flags));
	pthread_setcancelstate(cancelling, NULL);
	return fd;
}

/* What the descriptor is now is the file; where that fails it is closed. */
static int identify_file(struct tape_file *f, int fd)
{
	struct stat s;

	f->fd = fd;
	if (fd < 0)
		return TAPE_EIO;
	if (fstat(fd, &s)) {
		int e = errno;

		close(fd);
		f->fd = -1;
		errno = e;
		return TAPE_EIO;
	}
	f->dev = (uint64_t)s.st_dev;
	f->ino = (uint64_t)s.st_ino;
	return 0;
}

static int open_and_identify(struct tape_file *f, const char *dir,
			     const char *path, int flags, int create)
{
	f->flags = flags | O_CLOEXEC;
	return identify_file(f, open_high(dir, path, f->flags | create));
}

int tape_file_take(struct tape_file *f, int fd)
{
	return identify_file(f, raise_number(fd));
}

int tape_file_create(struct tape_file *f, const char *dir, const char *path,
		     int flags)
{
	return open_and_identify(f, dir, path, flags, O_CREAT | O_EXCL);
}

int tape_file_adopt(struct tape_file *f, const char *dir, const char *path,
		    int flags)
{
	return open_and_identify(f, dir, path, flags, 0);
}

int tape_file_descriptor(struct tape_file *f, const char *dir,
			 const char *path)
{
	int old = f->fd;

	if (tape_file_is_ours(f))
		return f->fd;
	f->fd = open_high(dir, path, f->flags);
	if (f->fd >= 0 && tape_file_is_ours(f))
		return f->fd;
	if (f->fd >= 0) {
		close(f->fd);
		errno = ESTALE;
	}
	f->fd = old; /* asked again next time */
	return -1;
}

void tape_file_close(struct tape_file *f)
{
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	if (tape_file_is_ours(f))
		close(f->fd);
	f->fd = -1;
	pthread_setcancelstate(cancelling, NULL);
}

void tape_hold(struct tape_hold *h)
{
	static const int raised[] = { SIGXFSZ, SIGPIPE };
	static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP,
				      SIGSYS };
	sigset_t set, pending;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &h->cancelling);
	sigfillset(&set);
	/* what an instruction raises kills where it is held back */
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&set, faults[i]);
	sigemptyset(&h->ours);
	sigpending(&pending);
	for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
		if (!sigismember(&pending, raised[i]))
			sigaddset(&h->ours, raised[i]);
	pthread_sigmask(SIG_BLOCK, &set, &h->mask);
}

void tape_release(struct tape_hold *h)
{
	static const struct timespec now = { 0, 0 };
	int e = errno;

	/* each is pending once at most; the time-out ends the loop */
	while (sigtimedwait(&h->ours, NULL, &now) > 0 || errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &h->mask, NULL);
	pthread_setcancelstate(h->cancelling, NULL);
	errno = e;
}
