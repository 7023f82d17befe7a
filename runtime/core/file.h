/*
 * Files kept open inside the traced program. The program may close any
 * descriptor, ours too, and the number may then mean a file of its own: before
 * each use a descriptor is compared with the file it was opened on, and opened
 * anew where it is not that file any more. Descriptors are moved to high
 * numbers, so that the program gets the numbers that it gets without us.
 */
#ifndef TAPE_FILE_H
#define TAPE_FILE_H

#include <signal.h>
#include <stdint.h>

struct tape_file {
	int fd;            /* -1: no file */
	int flags;         /* to open it anew */
	uint64_t dev, ino;
};

/*
 * Opens the file name of the directory dir, with mode 0666 where flags say to
 * create it. Others may have a right to write where dir is, and put a symbolic
 * link in its place or in the file's: none is followed. A descriptor, or -1
 * with errno.
 */
int tape_file_open(const char *dir, const char *name, int flags);

/*
 * Creates path, a file of the directory dir, which must not exist. Returns
 * 0 or TAPE_EIO (errno is set).
 */
int tape_file_create(struct tape_file *f, const char *dir, const char *path,
		     int flags);

/* The same of a file that exists already. */
int tape_file_adopt(struct tape_file *f, const char *dir, const char *path,
		    int flags);

/*
 * The descriptor, valid now, also after tape_file_close; path is where it was
 * created. -1: errno is set.
 */
int tape_file_descriptor(struct tape_file *f, const char *dir,
			 const char *path);

/*
 * A descriptor that was made otherwise: it gets a high number. Returns 0 or
 * TAPE_EIO (errno is set, and the descriptor closed).
 */
int tape_file_take(struct tape_file *f, int fd);

/*
 * Returns 1 if the descriptor still refers to the file that it was opened on.
 */
int tape_file_is_ours(const struct tape_file *f);

/* Closes it, unless the number has become another file. */
void tape_file_close(struct tape_file *f);

/*
 * Holds back what a write can raise in this thread, SIGXFSZ at the file size
 * limit and SIGPIPE where nobody reads standard error any more: the write then
 * fails and the program does not hear of it. Signals from elsewhere wait until
 * it is over: a timer that strikes all the time would not let an allocation
 * end. The thread cannot be cancelled meanwhile.
 *
 * A call may be interrupted nevertheless, where the process is stopped or
 * looked at by a debugger: each is tried again (TEMP_FAILURE_RETRY).
 */
struct tape_hold {
	int cancelling;
	sigset_t mask;
	sigset_t ours; /* not pending before: those are not ours to swallow */
};
void tape_hold(struct tape_hold *h);
void tape_release(struct tape_hold *h);

#endif
