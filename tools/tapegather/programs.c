/* The traces in the spool that receive data from other hosts; see programs.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gather_protocol.h"
#include "programs.h"
#include "spool.h"
#include "table.h"
#include "tool.h"

enum {
	NAMES = 100000, /* most traces of one program's name */
	TRACES = 256,	/* most traces that other hosts begin in one run */
	TASKS = 65536,	/* most tasks of a trace */
	COMPLAINTS = 20 /* most warnings of rejected data */
};

struct program {
	struct program *next;
	char dir[TAPE_GATHER_NAME];
	struct spool_program *spool;
	struct tape_table owners; /* by rank + 1 */
	int is_over; /* no more data is written */
	int tasks;   /* all lower ranks have an owner */
};

struct owner {
	unsigned char identity[TAPE_GATHER_IDENTITY];
};

struct programs {
	char dir[TAPE_GATHER_NAME];
	struct program *first;
	int n_begun;
};

static int some_refused; /* data of some rank was not written */

struct programs *programs_open(const char *dir)
{
	struct programs *all = tape_must(calloc(1, sizeof *all));
	char *path = realpath(dir, NULL);
	struct stat s;

	if (!path || stat(path, &s))
		tape_die(TAPE_FAILED, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(s.st_mode) || strlen(path) >= sizeof all->dir)
		tape_die(TAPE_FAILED,
			 "%s: not a directory, or its name is too long", dir);
	memcpy(all->dir, path, strlen(path));
	free(path);
	return all;
}

static struct program *add_program(struct programs *all, const char *dir)
{
	struct program *p = tape_must(calloc(1, sizeof *p));

	memcpy(p->dir, dir, strlen(dir));
	p->spool = tape_must(spool_open(dir));
	p->owners.bytes = sizeof(struct owner);
	p->next = all->first;
	all->first = p;
	return p;
}

struct program *programs_create_trace(struct programs *all, const char *name,
				      char *error, size_t n)
{
	char dir[TAPE_GATHER_NAME], number[16] = "";

	if (!*name || *name == '.' || strchr(name, '/')) {
		snprintf(error, n, "%.200s: not a program's name", name);
		return NULL;
	}
	if (all->n_begun == TRACES) {
		snprintf(error, n, "too many traces: %d were opened", TRACES);
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
		if (!mkdir(dir, 0777)) {
			all->n_begun++;
			return add_program(all, dir);
		}
		if (errno != EEXIST)
			break;
	}
	snprintf(error, n, "cannot create %.800s/%.200s.tape: %s", all->dir,
		 name, strerror(errno));
	return NULL;
}

/*
 * The process may use another path to the directory, through a symbolic link.
 * So only the last components of both paths are compared.
 */
struct program *programs_find_trace(struct programs *all, const char *dir,
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
			return add_program(all, path);
	}
	snprintf(error, n, "%.800s is not a followed trace", dir);
	return NULL;
}

const char *program_dir(const struct program *p)
{
	return p->dir;
}

static void set_owner(struct program *p, int rank,
		      const unsigned char *identity)
{
	struct owner *o =
	    tape_must(tape_table_get(&p->owners, (uint64_t)rank + 1));

	memcpy(o->identity, identity, sizeof o->identity);
}

int program_claim_rank(struct program *p, int rank,
		       const unsigned char *identity, char *error, size_t n)
{
	const struct owner *o =
	    rank < 0 ? NULL
		     : tape_table_find(&p->owners, (uint64_t)rank + 1);

	if (o && !memcmp(o->identity, identity, sizeof o->identity))
		return rank;
	if (rank < 0 || rank >= SPOOL_RANKS)
		snprintf(error, n, "%d: invalid rank", rank);
	else if (o || spool_has_local_rank(p->spool, rank))
		snprintf(error, n,
			 "rank %d of %.800s belongs to another process", rank,
			 p->dir);
	else {
		set_owner(p, rank, identity);
		return rank;
	}
	return -1;
}

/* Chooses the first rank without a file rank.R, as tasks on this host do. */
int program_claim_next_rank(struct program *p, const unsigned char *identity,
			    char *error, size_t n)
{
	for (; p->tasks < TASKS; p->tasks++) {
		if (!spool_begin_rank(p->spool, p->tasks)) {
			set_owner(p, p->tasks, identity);
			return p->tasks++;
		}
		if (errno != EEXIST) {
			snprintf(error, n, "cannot write %.800s/rank.%d: %s",
				 p->dir, p->tasks, strerror(errno));
			return -1;
		}
	}
	snprintf(error, n, "too many tasks");
	return -1;
}

void program_remove_rank(struct program *p, int rank)
{
	spool_remove_rank(p->spool, rank);
	tape_table_drop(&p->owners, (uint64_t)rank + 1);
	if (rank < p->tasks)
		p->tasks = rank;
	/* fails if other ranks have files */
	rmdir(p->dir);
}

void program_mark_ended(struct program *p, int rank, int gone)
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

int program_write_message(struct program *p, int rank, const void *message,
			  size_t bytes)
{
	static int complaints;
	char error[5000];
	enum spool_result rc;

	if (p->is_over)
		return -1;
	rc = spool_write_message(p->spool, rank, message, bytes, error,
				 sizeof error);
	if (rc == SPOOL_WRITTEN)
		return 0;
	some_refused = 1;
	p->is_over |= rc == SPOOL_FAILED;
	if (++complaints <= COMPLAINTS)
		tape_warn("%s; later events of %s are lost", error,
			  p->is_over ? "other hosts" : "this rank");
	return -1;
}

int program_is_full(struct program *p)
{
	return !p->is_over && spool_is_full(p->spool, 1);
}

int program_is_closed(const struct program *p)
{
	return p->is_over;
}

void programs_check_analysers(struct programs *all)
{
	for (struct program *p = all->first; p; p = p->next)
		p->is_over |= spool_lost_analyser(p->spool);
}

void programs_close_files(struct programs *all)
{
	for (struct program *p = all->first; p; p = p->next)
		spool_close_files(p->spool);
}

int programs_refused_data(void)
{
	return some_refused;
}

void programs_close(struct programs *all)
{
	while (all->first) {
		struct program *p = all->first;

		all->first = p->next;
		spool_close(p->spool);
		tape_table_free(&p->owners);
		free(p);
	}
	free(all);
}
