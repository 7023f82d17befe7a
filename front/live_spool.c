/* See live_spool.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "argument_list.h"
#include "live_file.h"
#include "live_spool.h"
#include "remove_tree.h"
#include "tool.h"
#include "trace_name.h"

#define PREFIX "tape-live."
#define GONE ".gone" /* ending of a spool that is being removed */
/* A file that marks a directory as a spool. Only spools are removed. */
#define MARK "is-spool-of-tape-live"

enum { TRIES = 100 };

static int lock_spool(int fd, int operation)
{
	int rc;

	do
		rc = flock(fd, operation);
	while (rc && errno == EINTR);
	return rc;
}

/* ---- removing ---- */

/* Returns 1 if the name or path is that of a spool that is being removed. */
static int is_being_removed(const char *path)
{
	return !fnmatch("*" PREFIX "??????" GONE, path, 0);
}

/*
 * Renames the spool first, unless it was renamed before: a writer that still
 * runs must not find it and put new files into it.
 */
static int remove_spool(const char *path, uint64_t *bytes)
{
	const struct timespec pause = {0, 10000000};
	char *gone = NULL;
	int rc = -1;

	*bytes = 0;
	if (asprintf(&gone, "%s%s", path, is_being_removed(path) ? "" : GONE) <
	    0)
		return -1;
	if (!is_being_removed(path) && rename(path, gone)) {
		free(gone);
		return errno == ENOENT ? 0 : -1;
	}
	for (int i = 0; rc && i < TRIES; i++) {
		if (i)
			nanosleep(&pause, NULL);
		rc = tape_remove_tree(AT_FDCWD, gone, bytes);
	}
	free(gone);
	return rc;
}

void live_spool_remove(struct live_spool *s)
{
	uint64_t bytes;

	if (!s->path)
		return;
	if (remove_spool(s->path, &bytes))
		tape_warn("%s could not be removed: %s", s->path,
			  strerror(errno));
	close(s->lock);
	free(s->path);
	s->path = NULL;
}

int live_spool_open(const struct live_spool *s)
{
	return s->path ? open(s->path,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
		       : -1;
}

void live_spool_remove_unused(const struct live_spool *s, int fd)
{
	uint64_t bytes;

	if (fd >= 0 && !lock_spool(fd, LOCK_EX))
		remove_spool(s->path, &bytes);
}

/* ---- spools that a killed tape has left ---- */

/* Returns 1 if the directory fd is a spool, complete or only in part. */
static int is_spool(int fd, const char *name)
{
	int copy;
	struct dirent *e;
	int others = 0;
	DIR *d;

	if (!faccessat(fd, MARK, F_OK, AT_SYMLINK_NOFOLLOW) ||
	    is_being_removed(name))
		return 1;
	copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = copy < 0 ? NULL : fdopendir(copy);
	while (d && (e = readdir(d)))
		others |= strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return d && !others;
}

/* Removes the directory if it is a spool that no process uses. */
static void remove_old(const char *folder, const char *name)
{
	uint64_t bytes;
	struct stat st;
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return;
	fd = open(path,
		  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
	    !lock_spool(fd, LOCK_EX | LOCK_NB) && is_spool(fd, name)) {
		if (remove_spool(path, &bytes))
			tape_warn("%s, left by a killed tape live, cannot be "
				  "removed: %s",
				  path, strerror(errno));
		else
			tape_warn(
			    "removed %s, %.1f MB, left by a killed tape live",
			    path, (double)bytes / 1e6);
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

static void remove_all_old(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, PREFIX, sizeof PREFIX - 1))
			remove_old(folder, e->d_name);
	if (d)
		closedir(d);
}

/* ---- making ---- */

/* Returns 1 if a tape live that removes old spools has taken the new one. */
static int is_swept(const struct live_spool *s)
{
	struct stat a, b;

	return lock_spool(s->lock, LOCK_EX | LOCK_NB) || fstat(s->lock, &a) ||
	       stat(s->path, &b) || a.st_ino != b.st_ino ||
	       a.st_dev != b.st_dev;
}

/* Puts the mark into the new spool. Returns 0, or -1 with errno. */
static int mark_spool(const struct live_spool *s)
{
	int fd = openat(s->lock, MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0600);
	int failed = fd < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0;
	int why = errno;

	if (fd >= 0 && close(fd) && !failed) {
		failed = 1;
		why = errno;
	}
	errno = why;
	return -failed;
}

/* Removes a new spool that cannot be used; errno stays. */
static void remove_new_spool(struct live_spool *s)
{
	int why = errno;

	unlinkat(s->lock, MARK, 0);
	rmdir(s->path);
	close(s->lock);
	free(s->path);
	errno = why;
}

/* Makes a spool in the folder. Returns 0, or -1 with errno. */
static int make_spool_in(const char *folder, struct live_spool *s)
{
	int why;

	for (int i = 0; i < TRIES; i++) {
		if (asprintf(&s->path, "%s/" PREFIX "XXXXXX", folder) < 0)
			tape_die_no_memory();
		if (!mkdtemp(s->path)) {
			why = errno;
			free(s->path);
			errno = why;
			return -1;
		}
		s->lock = open(s->path,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (s->lock >= 0 && !is_swept(s)) {
			if (!mark_spool(s))
				return 0;
			remove_new_spool(s);
			return -1;
		}
		if (s->lock >= 0)
			close(s->lock);
		free(s->path);
	}
	errno = EBUSY;
	return -1;
}

/* Lists the folders that a spool may be in, the best first. */
static size_t list_spool_folders(const char *list[3])
{
	const char *own = getenv("TAPE_SPOOL"), *tmp = getenv("TMPDIR");
	size_t n = 0;

	if (own && *own) {
		list[n++] = own;
		return n;
	}
	list[n++] = "/dev/shm";
	list[n++] = tmp && *tmp ? tmp : "/tmp";
	return n;
}

void live_spool_make(struct live_spool *s)
{
	const char *list[3];
	size_t n = list_spool_folders(list);
	char folder[PATH_MAX];
	int why[3] = {0};

	for (size_t i = 0; i < n; i++)
		if (realpath(list[i], folder))
			remove_all_old(folder);
	for (size_t i = 0; i < n; i++) {
		if (realpath(list[i], folder) && !make_spool_in(folder, s))
			return;
		why[i] = errno;
	}
	for (size_t i = 0; i + 1 < n; i++)
		tape_warn("%s: no spool can be made there: %s", list[i],
			  strerror(why[i]));
	tape_die(TAPE_FAILED, "%s: no spool can be made there: %s", list[n - 1],
		 strerror(why[n - 1]));
}

/* ---- what is in it ---- */

size_t live_spool_traces(const struct live_spool *s,
			 struct argument_list *traces)
{
	struct dirent **list;
	int n = scandir(s->path, &list, NULL, alphasort);
	size_t found = 0;
	struct stat st;

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		char path[PATH_MAX];

		snprintf(path, sizeof path, "%s/%s", s->path, name);
		if (trace_is_named(name) && !lstat(path, &st) &&
		    S_ISDIR(st.st_mode)) {
			arguments_print(traces, "%s", path);
			found++;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return found;
}

void live_spool_is_over(const struct live_spool *s)
{
	int fd = openat(s->lock, TAPE_LIVE_OVER, O_WRONLY | O_CREAT | O_CLOEXEC,
			0600);

	if (fd >= 0)
		close(fd);
}
