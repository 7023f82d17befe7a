/* Names of tasks that are the same in each run; see task_names.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_stack.h"
#include "pvm.h"
#include "core.h"
#include "task_names.h"

TAPE_ON_OWN_STACK

/* In the environment of tasks: the name of the parent, and its pvm_spawn. */
#define SPAWNED "TAPE_TASK"

/* The lines with tid and name are in the first bytes of rank.R. */
enum { HEAD_BYTES = 4096 };

static char own[TAPE_PVM_TASK_NAME];
static char base[TAPE_PVM_TASK_NAME];  /* own, without the enrolments */
static char begun[TAPE_PVM_TASK_NAME]; /* SPAWNED, where the process began */
static int is_begun;
static unsigned n_spawns, n_enrolments;

/* ---- the names of a trace ---- */

/* Returns the number of bytes; -1: there is no such file. */
static int read_head(const char *dir, int rank, char *to)
{
	char path[sizeof tape_process.dir + 32];
	struct stat s;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof path, "%s/rank.%d", dir, rank);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &s) && S_ISREG(s.st_mode))
		n = TEMP_FAILURE_RETRY(read(fd, to, HEAD_BYTES));
	close(fd);
	to[n > 0 ? n : 0] = '\0';
	return (int)n;
}

/* Copies the rest of the line that begins with key. Returns 0 if none does. */
static int copy_word(const char *head, const char *key, char *to, size_t n)
{
	const char *p = strstr(head, key);
	size_t bytes;

	if (!p)
		return 0;
	p += strlen(key);
	bytes = strcspn(p, "\n");
	if (p[bytes] != '\n' || bytes >= n)
		return 0;
	memcpy(to, p, bytes);
	to[bytes] = '\0';
	return 1;
}

/* A trace may hold anything, and names are printed. */
static int is_name(const char *text)
{
	return !text[strspn(text, "0123456789/.+")];
}

static int has_rank(const struct tape_pvm_names *all, int rank)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->task[i].rank == rank)
			return 1;
	return 0;
}

static void add_task(struct tape_pvm_names *all, int rank, int tid,
		     const char *name)
{
	struct tape_pvm_named *grown = all->task;
	char *copy;

	if (all->n == all->room) {
		grown = realloc(grown, (2 * all->room + 16) * sizeof *grown);
		if (!grown)
			return;
		all->task = grown;
		all->room = 2 * all->room + 16;
	}
	copy = strdup(name);
	if (copy)
		all->task[all->n++] = (struct tape_pvm_named){tid, rank, copy};
}

struct reading {
	struct tape_pvm_names *all;
	const char *dir;
};

static void read_names(void *reading)
{
	struct tape_pvm_names *all = ((struct reading *)reading)->all;
	const char *dir = ((struct reading *)reading)->dir;
	char head[HEAD_BYTES + 1], tid[16], name[TAPE_PVM_TASK_NAME];
	int is_complete = 1;

	for (int r = all->unread; r < TAPE_THREADS_MAX; r++) {
		if (!has_rank(all, r)) {
			if (read_head(dir, r, head) < 0)
				return;
			if (copy_word(head, "\ntid ", tid, sizeof tid) &&
			    copy_word(head, "\ntask ", name, sizeof name) &&
			    is_name(name))
				add_task(all, r, atoi(tid), name);
			else
				is_complete = 0;
		}
		if (is_complete)
			all->unread = r + 1;
	}
}

void tape_pvm_read_names(struct tape_pvm_names *all, const char *dir)
{
	struct reading r = {all, dir};

	tape_run_on_own_stack(read_names, &r);
}

const struct tape_pvm_named *tape_pvm_find_tid(const struct tape_pvm_names *all,
					       int tid)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->task[i].tid == tid)
			return &all->task[i];
	return NULL;
}

const struct tape_pvm_named *
tape_pvm_find_name(const struct tape_pvm_names *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->task[i].name, name))
			return &all->task[i];
	return NULL;
}

/* ---- the name of this task ---- */

/* Takes what the parent has left in the environment, for this task only. */
static void take_environment(void)
{
	const char *value = is_begun ? NULL : secure_getenv(SPAWNED);

	if (value && strlen(value) < sizeof begun)
		strcpy(begun, value);
	is_begun = 1;
	unsetenv(SPAWNED);
}

/* Returns the number of this task among those of its pvm_spawn, or -1. */
static int find_sibling(void)
{
	int *tids = NULL, n = TAPE_REAL(pvm_siblings)(&tids);

	for (int i = 0; i < n && tids; i++)
		if (tids[i] == pvmmytid)
			return i;
	return -1;
}

/* Finds the name without the number of enrolments. Returns 0 if it has none. */
static int find_base(void)
{
	int i;

	take_environment();
	if (*base)
		return 1;
	if (!*begun && !tape_process.rank)
		return !!strcpy(base, "0");
	i = *begun ? find_sibling() : -1;
	if (i >= 0 && (size_t)snprintf(base, sizeof base, "%s.%d", begun, i) <
			  sizeof base)
		return 1;
	*base = '\0';
	return 0;
}

const char *tape_pvm_name_task(void)
{
	int n = -1;

	if (find_base())
		n = n_enrolments
			? snprintf(own, sizeof own, "%s+%u", base, n_enrolments)
			: snprintf(own, sizeof own, "%s", base);
	n_enrolments++;
	if (n >= 0 && (size_t)n < sizeof own)
		return own;
	*own = '\0';
	return NULL;
}

void tape_pvm_begin_spawn(void)
{
	char value[TAPE_PVM_TASK_NAME];

	take_environment();
	/* the first call of the first task may be this one */
	if (!*own && !*begun && !tape_process.rank)
		strcpy(own, "0");
	n_spawns++;
	if (*own && (size_t)snprintf(value, sizeof value, "%s/%u", own,
				     n_spawns) < sizeof value)
		setenv(SPAWNED, value, 1);
}

void tape_pvm_end_spawn(void)
{
	unsetenv(SPAWNED);
}
TAPE_ON_OWN_STACK_END
