/* What is made and may have to be removed; see made.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made.h"

struct tape_made {
	struct tape_made *next;     /* made before this one */
	const struct tape_made *in; /* kept with it */
	int at, is_dir;
	dev_t dev;                  /* of a directory, and its number */
	ino_t ino;
	atomic_int kept;            /* or removed already */
	char name[];
};

/* The newest first: what is in a directory comes before it. */
static struct tape_made *_Atomic all;
static atomic_int ending;

/* Signals that end a process and that a tool would clean up after. */
static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
			    SIGPIPE, SIGXCPU, SIGXFSZ };
#define ENDS (sizeof ends / sizeof *ends)

int tape_parent(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";

	*name = slash ? slash + 1 : path;
	if (slash && (size_t)(slash - path) >= sizeof dir) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (slash)
		snprintf(dir, sizeof dir, "%.*s",
			 slash == path ? 1 : (int)(slash - path), path);
	return open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* ---- removing ---- */

/* Is the entry still the directory that was made? */
static int is_same(const struct tape_made *m)
{
	struct stat st;

	return !fstatat(m->at, m->name, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_dev == m->dev && st.st_ino == m->ino;
}

static void drop(struct tape_made *m)
{
	if (atomic_exchange(&m->kept, 1))
		return;
	/* an entry of its own directory: of the name nothing else was there,
	 * and a link is removed, not what it leads to */
	if (!m->is_dir)
		unlinkat(m->at, m->name, 0);
	else if (is_same(m))
		unlinkat(m->at, m->name, AT_REMOVEDIR);
}

static int is_kept(const struct tape_made *m)
{
	return atomic_load(&m->kept) || (m->in && is_kept(m->in));
}

void tape_made_remove_all(void)
{
	atomic_store(&ending, 1);
	for (struct tape_made *m = all; m; m = m->next)
		if (!is_kept(m))
			drop(m);
}

void tape_made_remove(struct tape_made *m)
{
	for (struct tape_made *p = all; p && p != m; p = p->next)
		if (p->in == m)
			drop(p);
	drop(m);
}

static void at_signal(int number)
{
	/* a second one, in another thread: the first ends the process */
	if (atomic_load(&ending))
		return;
	tape_made_remove_all();
	/* blocked in here: it comes as soon as this returns */
	signal(number, SIG_DFL);
	raise(number);
}

static void watch(void)
{
	struct sigaction a = { .sa_handler = at_signal }, old;

	sigfillset(&a.sa_mask);
	for (size_t i = 0; i < ENDS; i++)
		if (!sigaction(ends[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(ends[i], &a, NULL);
	atexit(tape_made_remove_all);
}

void tape_made_forget(void)
{
	struct sigaction old;

	for (size_t i = 0; i < ENDS; i++)
		if (!sigaction(ends[i], NULL, &old) &&
		    old.sa_handler == at_signal)
			signal(ends[i], SIG_DFL);
	all = NULL;
}

/* ---- making ---- */

/* No signal comes between the making of something and its being known. */
static void hold(sigset_t *old)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void release(const sigset_t *old)
{
	int e = errno;

	pthread_sigmask(SIG_SETMASK, old, NULL);
	errno = e;
}

static struct tape_made *prepare(int at, const char *name,
				 const struct tape_made *in)
{
	static int watching;
	struct tape_made *m = calloc(1, sizeof *m + strlen(name) + 1);

	if (!m) {
		errno = ENOMEM;
		return NULL;
	}
	m->in = in;
	m->at = at;
	strcpy(m->name, name);
	if (!watching++)
		watch();
	while (atomic_load(&ending))
		pause();
	return m;
}

/* It is there: from now on it is removed unless it is kept. */
static void publish(struct tape_made *m)
{
	m->next = all;
	while (!atomic_compare_exchange_weak(&all, &m->next, m))
		;
}

/* Takes what was made (0, or a descriptor), or frees it (-1). */
static int finish(struct tape_made *m, int made, struct tape_made **out)
{
	if (made < 0) {
		free(m);
		return -1;
	}
	publish(m);
	if (out)
		*out = m;
	return made;
}

int tape_made_file(int at, const char *name, const struct tape_made *in,
		   struct tape_made **out)
{
	struct tape_made *m = prepare(at, name, in);
	sigset_t old;
	int fd;

	if (!m)
		return -1;
	hold(&old);
	fd = finish(m, openat(at, name, O_WRONLY | O_CREAT | O_EXCL |
						O_NOFOLLOW | O_CLOEXEC, 0666),
		    out);
	release(&old);
	return fd;
}

static int is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;
	int empty = d != NULL;

	while (empty && (e = readdir(d)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	return empty;
}

/*
 * The directory just made, if it is that: an empty one at least. What somebody
 * else has put in its place may then be written to and emptied again.
 */
static int enter(struct tape_made *m, int others)
{
	int fd = openat(m->at, m->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
						O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || (!others && !is_empty(fd))) {
		close(fd);
		errno = EEXIST;
		return -1;
	}
	m->dev = st.st_dev;
	m->ino = st.st_ino;
	return fd;
}

int tape_made_enter(int at, const char *name, struct tape_made **out)
{
	struct tape_made *m = prepare(at, name, NULL);
	sigset_t old;
	int fd;

	if (!m)
		return -1;
	m->is_dir = 1;
	hold(&old);
	fd = finish(m, enter(m, 1), out);
	release(&old);
	return fd;
}

int tape_made_directory(int at, const char *name, const struct tape_made *in,
			struct tape_made **out)
{
	struct tape_made *m = prepare(at, name, in);
	sigset_t old;
	int fd = -1;

	if (!m)
		return -1;
	m->is_dir = 1;
	hold(&old);
	if (!mkdirat(at, name, 0777))
		fd = enter(m, 0);
	fd = finish(m, fd, out);
	release(&old);
	return fd;
}

int tape_made_link(int from, int at, const char *name,
		   const struct tape_made *in)
{
	struct tape_made *m = prepare(at, name, in);
	char path[32];
	sigset_t old;
	int rc;

	if (!m)
		return -1;
	/* of what is open, whatever has its name by now */
	snprintf(path, sizeof path, "/proc/self/fd/%d", from);
	hold(&old);
	rc = finish(m, linkat(AT_FDCWD, path, at, name, AT_SYMLINK_FOLLOW),
		    NULL);
	release(&old);
	return rc;
}

/* ---- keeping ---- */

static int rename_to(const struct tape_made *m, const char *name, int new_)
{
	int rc;

	if (m->is_dir && !is_same(m)) {
		errno = ESTALE;
		return -1;
	}
	if (!new_)
		return renameat(m->at, m->name, m->at, name);
	rc = renameat2(m->at, m->name, m->at, name, RENAME_NOREPLACE);
	/* some file systems cannot promise that */
	if (rc && (errno == EINVAL || errno == ENOSYS))
		rc = renameat(m->at, m->name, m->at, name);
	return rc;
}

int tape_made_rename(struct tape_made *m, const char *name, int new_)
{
	sigset_t old;
	int rc;

	hold(&old);
	rc = rename_to(m, name, new_);
	if (!rc)
		tape_made_keep(m);
	release(&old);
	return rc;
}

void tape_made_keep(struct tape_made *m)
{
	atomic_store(&m->kept, 1);
}
