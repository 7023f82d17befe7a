/* The traces in the spool; see programs.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gathering.h"
#include "programs.h"
#include "spool.h"
#include "tool.h"

enum { NAMES = 100000, TASKS = 65536 };

struct program {
	struct program *next;
	char dir[TAPE_GATHER_NAME];
	struct spool_program *spool;
	int over;
	int tasks; /* ranks below have been taken */
};

struct programs {
	char dir[TAPE_GATHER_NAME];
	struct program *first;
};

static int broken;

struct programs *programs_open(const char *dir)
{
	struct programs *all = tape_must(calloc(1, sizeof *all));
	char *path = realpath(dir, NULL);
	struct stat s;

	if (!path || stat(path, &s))
		tape_die(TAPE_FAILED, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(s.st_mode) || strlen(path) >= sizeof all->dir)
		tape_die(TAPE_FAILED, "%s: no directory of ours", dir);
	memcpy(all->dir, path, strlen(path));
	free(path);
	return all;
}

static struct program *add(struct programs *all, const char *dir)
{
	struct program *p = tape_must(calloc(1, sizeof *p));

	memcpy(p->dir, dir, strlen(dir));
	p->spool = tape_must(spool_open(dir));
	p->next = all->first;
	all->first = p;
	return p;
}

struct program *programs_begin(struct programs *all, const char *name,
			       char *error, size_t n)
{
	char dir[TAPE_GATHER_NAME], number[16] = "";

	if (!*name || *name == '.' || strchr(name, '/')) {
		snprintf(error, n, "%.200s: not a program's name", name);
		return NULL;
	}
	for (int i = 1; i < NAMES; i++) {
		if (i > 1)
			snprintf(number, sizeof number, ".%d", i);
		if ((size_t)snprintf(dir, sizeof dir, "%s/%s%s.tape", all->dir,
				     name, number) >= sizeof dir) {
			errno = ENAMETOOLONG;
			break;
		}
		if (!mkdir(dir, 0777))
			return add(all, dir);
		if (errno != EEXIST)
			break;
	}
	snprintf(error, n, "cannot create %.800s/%.200s.tape: %s", all->dir,
		 name, strerror(errno));
	return NULL;
}

/*
 * Where the process sees it under another name than this one, by a link, the
 * last parts are the same.
 */
struct program *programs_find(struct programs *all, const char *dir,
			      char *error, size_t n)
{
	const char *name = strrchr(dir, '/');
	char path[TAPE_GATHER_NAME];
	struct stat s;

	if (name && name[1] && name[1] != '.' &&
	    (size_t)snprintf(path, sizeof path, "%s%s", all->dir, name) <
		sizeof path) {
		for (struct program *p = all->first; p; p = p->next)
			if (!strcmp(p->dir, path))
				return p;
		if (!lstat(path, &s) && S_ISDIR(s.st_mode))
			return add(all, path);
	}
	snprintf(error, n, "%.800s is not a trace that is followed", dir);
	return NULL;
}

const char *program_dir(const struct program *p)
{
	return p->dir;
}

/* As tasks on this host do it, by the first file rank.R that is not there. */
int program_number(struct program *p, char *error, size_t n)
{
	char path[sizeof p->dir + 32];
	int fd;

	for (; p->tasks < TASKS; p->tasks++) {
		snprintf(path, sizeof path, "%s/rank.%d", p->dir, p->tasks);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			return p->tasks++;
		}
		if (errno != EEXIST) {
			snprintf(error, n, "cannot write %.800s: %s", path,
				 strerror(errno));
			return -1;
		}
	}
	snprintf(error, n, "too many tasks");
	return -1;
}

void program_forget(struct program *p, int rank)
{
	char path[sizeof p->dir + 32];

	snprintf(path, sizeof path, "%s/rank.%d", p->dir, rank);
	unlink(path);
	if (rank < p->tasks)
		p->tasks = rank;
	/* it fails where there are others */
	rmdir(p->dir);
}

void program_gone(struct program *p, int rank, int gone)
{
	char path[sizeof p->dir + 32];
	int fd;

	snprintf(path, sizeof path, "%s/" TAPE_GATHER_GONE "%d", p->dir, rank);
	if (!gone) {
		unlink(path);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
}

int program_take(struct program *p, int rank, const void *message, size_t bytes)
{
	char error[5000];

	if (p->over)
		return -1;
	if (!spool_take(p->spool, rank, message, bytes, error, sizeof error))
		return 0;
	tape_warn("%s; what follows from other hosts is lost", error);
	p->over = broken = 1;
	return -1;
}

int program_is_full(struct program *p)
{
	return !p->over && spool_is_full(p->spool, 1);
}

int program_is_over(const struct program *p)
{
	return p->over;
}

void programs_look(struct programs *all)
{
	for (struct program *p = all->first; p; p = p->next)
		p->over |= spool_is_left(p->spool);
}

int programs_broken(void)
{
	return broken;
}

void programs_close(struct programs *all)
{
	while (all->first) {
		struct program *p = all->first;

		all->first = p->next;
		spool_close(p->spool);
		free(p);
	}
	free(all);
}
