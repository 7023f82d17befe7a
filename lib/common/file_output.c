/* Files that are whole or not there; see file_output.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_output.h"
#include "output_cleanup.h"
#include "tool.h"

/* One that was begun; made NULL: in place. f NULL: ended, or a directory. */
struct result {
	struct result *next;
	FILE *f;
	struct tape_cleanup *made;
	int directory;
	char *path;
	const char *name; /* the last component of path */
};

enum { PATH_MOST = 4200 };

static struct result *results;

__attribute__((noreturn)) static void fail_result(const struct result *r)
{
	tape_die(TAPE_FAILED, "%s: %s", r->path, strerror(errno));
}

static struct result *add_result(const char *path)
{
	struct result *r = tape_must(calloc(1, sizeof *r));

	if (strlen(path) >= PATH_MOST)
		tape_die(TAPE_USAGE, "%s: the name is too long", path);
	r->path = tape_must(strdup(path));
	r->next = results;
	results = r;
	return r;
}

static FILE *open_beside(struct result *r, int dir)
{
	char name[320];
	int fd = -1;

	if ((size_t)snprintf(name, sizeof name, "%s.part%ld", r->name,
			     (long)getpid()) < sizeof name)
		fd = tape_cleanup_file(dir, name, NULL, &r->made);
	else
		errno = ENAMETOOLONG;
	r->f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!r->f)
		fail_result(r);
	return r->f;
}

/* What is there and no regular file, to be written in place; or NULL. */
static FILE *open_special(const struct result *r)
{
	int fd = open(r->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0 && (errno == EISDIR || errno == ENXIO))
		fail_result(r);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "w");
}

FILE *tape_file_begin(const char *path)
{
	struct result *r = add_result(path);
	int dir;

	if (!strcmp(path, "-"))
		return r->f = stdout;
	r->f = open_special(r);
	if (r->f)
		return r->f;
	dir = tape_parent(r->path, &r->name);
	if (dir < 0)
		fail_result(r);
	return open_beside(r, dir);
}

FILE *tape_file_begin_in(int dir, const char *path, const char *name)
{
	char both[PATH_MOST];
	struct result *r;

	if ((size_t)snprintf(both, sizeof both, "%s/%s", path, name) >=
	    sizeof both)
		tape_die(TAPE_USAGE, "%s: the name is too long", path);
	r = add_result(both);
	r->name = r->path + strlen(path) + 1;
	return open_beside(r, dir);
}

static void close_one(struct result *r)
{
	int bad = ferror(r->f);

	if ((r->f == stdout ? fflush(stdout) : fclose(r->f)) || bad)
		fail_result(r);
	r->f = NULL;
}

void tape_file_end(FILE *f)
{
	struct result *r = results;

	while (r->f != f)
		r = r->next;
	close_one(r);
}

int tape_file_directory(const char *path)
{
	struct result *r = add_result(path);
	int parent, fd;

	r->directory = 1;
	for (size_t n = strlen(r->path); n > 1 && r->path[n - 1] == '/';)
		r->path[--n] = '\0';
	parent = tape_parent(r->path, &r->name);
	if (parent < 0)
		fail_result(r);
	fd = tape_cleanup_directory(parent, *r->name ? r->name : ".", NULL,
				    &r->made);
	/* the user's own, which may be a link */
	if (fd < 0 && errno == EEXIST)
		fd = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fail_result(r);
	return fd;
}

void tape_file_commit(void)
{
	struct result *r;

	for (r = results; r; r = r->next)
		if (r->f)
			close_one(r);
	/* a directory comes after what is in it */
	while ((r = results)) {
		if (r->made && r->directory)
			tape_cleanup_commit(r->made);
		else if (r->made && tape_cleanup_commit_as(r->made, r->name, 0))
			fail_result(r);
		results = r->next;
		free(r->path);
		free(r);
	}
}
