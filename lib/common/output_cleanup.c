/* What is made and may have to be removed; see output_cleanup.h. */
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

#include "output_cleanup.h"

struct tape_cleanup {
	struct tape_cleanup *next;     /* made before this one */
	const struct tape_cleanup *in; /* kept with it */
	int at, is_dir;
	dev_t dev; /* of a directory, and its number */
	ino_t ino;
	atomic_int kept; /* or removed already */
	char name[];
};

/* The newest first: what is in a directory comes before it. */
static struct tape_cleanup *_Atomic all;
static atomic_int ending;

/* Signals that end a process and that a tool would clean up after. */
static const int ends[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
			   SIGPIPE, SIGXCPU, SIGXFSZ};
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

/* Returns 1 if the entry is still the directory that was made. */
static int is_same_directory(const struct tape_cleanup *m)
{
	struct stat st;

	return !fstatat(m->at, m->name, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_dev == m->dev && st.st_ino == m->ino;
}

static void remove_output(struct tape_cleanup *m)
{
	if (atomic_exchange(&m->kept, 1))
		return;
	/* an entry of its own directory: of the name nothing else was there,
	 * and a link is removed, not what it leads to */
	if (!m->is_dir)
		unlinkat(m->at, m->name, 0);
	else if (is_same_directory(m))
		unlinkat(m->at, m->name, AT_REMOVEDIR);
}

static int is_committed(const struct tape_cleanup *m)
{
	return atomic_load(&m->kept) || (m->in && is_committed(m->in));
}

void tape_cleanup_remove_all(void)
{
	atomic_store(&ending, 1);
	for (struct tape_cleanup *m = all; m; m = m->next)
		if (!is_committed(m))
			remove_output(m);
}

void tape_cleanup_remove(struct tape_cleanup *m)
{
	for (struct tape_cleanup *p = all; p && p != m; p = p->next)
		if (p->in == m)
			remove_output(p);
	remove_output(m);
}

static void at_signal(int number)
{
	/* a second one, in another thread: the first ends the process */
	if (atomic_load(&ending))
		return;
	tape_cleanup_remove_all();
	/* blocked in here: it comes as soon as this returns */
	signal(number, SIG_DFL);
	raise(number);
}

static void install_cleanup(void)
{
	struct sigaction a = {.sa_handler = at_signal}, old;

	sigfillset(&a.sa_mask);
	for (size_t i = 0; i < ENDS; i++)
		if (!sigaction(ends[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(ends[i], &a, NULL);
	atexit(tape_cleanup_remove_all);
}

void tape_cleanup_reset(void)
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
static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void restore_signals(const sigset_t *old)
{
	int e = errno;

	pthread_sigmask(SIG_SETMASK, old, NULL);
	errno = e;
}

static struct tape_cleanup *alloc_output(int at, const char *name,
					 const struct tape_cleanup *in)
{
	static int watching;
	struct tape_cleanup *m = calloc(1, sizeof *m + strlen(name) + 1);

	if (!m) {
		errno = ENOMEM;
		return NULL;
	}
	m->in = in;
	m->at = at;
	strcpy(m->name, name);
	if (!watching++)
		install_cleanup();
	while (atomic_load(&ending))
		pause();
	return m;
}

/* Registers the new file for removal at exit unless it is committed. */
static void register_output(struct tape_cleanup *m)
{
	m->next = all;
	while (!atomic_compare_exchange_weak(&all, &m->next, m))
		;
}

/* Registers m if making succeeded (made: 0 or a descriptor); else frees m. */
static int register_or_free(struct tape_cleanup *m, int made,
			    struct tape_cleanup **out)
{
	if (made < 0) {
		free(m);
		return -1;
	}
	register_output(m);
	if (out)
		*out = m;
	return made;
}

int tape_cleanup_file(int at, const char *name, const struct tape_cleanup *in,
		      struct tape_cleanup **out)
{
	struct tape_cleanup *m = alloc_output(at, name, in);
	sigset_t old;
	int fd;

	if (!m)
		return -1;
	block_signals(&old);
	fd = register_or_free(
	    m,
	    openat(at, name,
		   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666),
	    out);
	restore_signals(&old);
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
 * The directory just made, if it is that: an empty one at least. What another
 * user else has put in its place may then be written to and emptied again.
 */
static int open_new_directory(struct tape_cleanup *m, int others)
{
	int fd = openat(m->at, m->name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

int tape_cleanup_enter_directory(int at, const char *name,
				 struct tape_cleanup **out)
{
	struct tape_cleanup *m = alloc_output(at, name, NULL);
	sigset_t old;
	int fd;

	if (!m)
		return -1;
	m->is_dir = 1;
	block_signals(&old);
	fd = register_or_free(m, open_new_directory(m, 1), out);
	restore_signals(&old);
	return fd;
}

int tape_cleanup_directory(int at, const char *name,
			   const struct tape_cleanup *in,
			   struct tape_cleanup **out)
{
	struct tape_cleanup *m = alloc_output(at, name, in);
	sigset_t old;
	int fd = -1;

	if (!m)
		return -1;
	m->is_dir = 1;
	block_signals(&old);
	if (!mkdirat(at, name, 0777))
		fd = open_new_directory(m, 0);
	fd = register_or_free(m, fd, out);
	restore_signals(&old);
	return fd;
}

int tape_cleanup_link(int from, int at, const char *name,
		      const struct tape_cleanup *in)
{
	struct tape_cleanup *m = alloc_output(at, name, in);
	char path[32];
	sigset_t old;
	int rc;

	if (!m)
		return -1;
	/* of what is open, whatever has its name by now */
	snprintf(path, sizeof path, "/proc/self/fd/%d", from);
	block_signals(&old);
	rc = register_or_free(
	    m, linkat(AT_FDCWD, path, at, name, AT_SYMLINK_FOLLOW), NULL);
	restore_signals(&old);
	return rc;
}

/* ---- keeping ---- */

static int rename_to(const struct tape_cleanup *m, const char *name, int new_)
{
	int rc;

	if (m->is_dir && !is_same_directory(m)) {
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

int tape_cleanup_commit_as(struct tape_cleanup *m, const char *name, int new_)
{
	sigset_t old;
	int rc;

	block_signals(&old);
	rc = rename_to(m, name, new_);
	if (!rc)
		tape_cleanup_commit(m);
	restore_signals(&old);
	return rc;
}

void tape_cleanup_commit(struct tape_cleanup *m)
{
	atomic_store(&m->kept, 1);
}
