/*
 * The order file that this rank replays, read and checked; see order_read.h.
 * What ends posts is sorted by post, since it stands where the post completes.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "order_read.h"
#include "own_stack.h"
#include "core.h"

TAPE_ON_OWN_STACK

static const unsigned char *map, *end, *at; /* at: behind next */
static struct tape_order_decision next;
static int has_next;
static uint64_t position, recorded_posts = UINT64_MAX;
static int has_numbers; /* of requests */

/* Decisions that end posts, by the number of the post. */
static struct tape_order_decision *posts;
static size_t n_posts;

void tape_order_find_trace(struct tape_config *c)
{
	char path[PATH_MAX];

	if (*c->replay && realpath(c->replay, path) &&
	    strlen(path) < sizeof c->replay)
		strcpy(c->replay, path);
}

static int is_of_post(const struct tape_order_decision *d)
{
	return d->kind == TAPE_DECISION_MATCHED ||
	       d->kind == TAPE_DECISION_CANCELLED ||
	       d->kind == TAPE_DECISION_FREED;
}

static int compare_posts(const void *a, const void *b)
{
	const struct tape_order_decision *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Reads the file. Returns 0, or -1 with errno. */
static int read_file(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat s;
	void *p;

	if (fd < 0)
		return -1;
	if (fstat(fd, &s) || !S_ISREG(s.st_mode) || !s.st_size) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	/* a copy: a file that is changed later is no danger to the program */
	p = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*n = 0;
	while (p != MAP_FAILED && *n < (size_t)s.st_size) {
		ssize_t got = TEMP_FAILURE_RETRY(
		    read(fd, (char *)p + *n, (size_t)s.st_size - *n));

		if (got <= 0)
			break;
		*n += (size_t)got;
	}
	close(fd);
	if (p == MAP_FAILED)
		return -1;
	map = p;
	end = map + *n;
	return 0;
}

/*
 * Reads all decisions: counts those of posts, or stores them where posts is
 * set. Returns 0 or TAPE_EFORMAT; at is then the damaged decision.
 */
static int walk_decisions(void)
{
	struct tape_order_decision d;
	int rc;

	at = map + TAPE_ORDER_HEADER;
	n_posts = 0;
	while ((rc = tape_order_read(&at, end, &d)) == 1) {
		if (d.kind == TAPE_DECISION_FINISHED)
			recorded_posts = d.number;
		has_numbers |= d.kind == TAPE_DECISION_ANY_NUMBERED ||
			       d.kind == TAPE_DECISION_SOME_NUMBERED;
		if (!is_of_post(&d))
			continue;
		if (posts)
			posts[n_posts] = d;
		n_posts++;
	}
	return rc;
}

/* Is it the file of that rank of a run of this size? Else error says it. */
static int check_header(const char *path, size_t bytes, int wanted, char *error,
			size_t n)
{
	int rank, ranks;
	int rc = tape_order_read_header(map, bytes, &rank, &ranks);

	if (rc)
		snprintf(error, n, "%.800s: %s", path,
			 rc == TAPE_EVERSION ? tape_error_text(rc)
					     : "not an order file");
	else if (ranks != tape_process.size || rank != wanted)
		snprintf(error, n,
			 "%.800s is of rank %d of %d, this is rank %d of %d",
			 path, rank, ranks, wanted, tape_process.size);
	return *error ? -1 : 0;
}

/* Returns 1 if no setting keeps calls out of this trace: requests are numbered
 * as in a trace of all calls. */
static int numbers_all_requests(void)
{
	const struct tape_config *c = &tape_process.config;
	const char *const lists[] = {c->group_list, c->call_list, c->regions,
				     c->files};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (*lists[i] && strcmp(lists[i], "all"))
			return 0;
	return !c->max_rate && !c->max_bytes;
}

/* The process was another task before. */
static void forget_file(void)
{
	if (map)
		munmap((void *)(uintptr_t)map, (size_t)(end - map));
	free(posts);
	map = end = at = NULL;
	posts = NULL;
	n_posts = 0;
	has_next = has_numbers = 0;
	recorded_posts = UINT64_MAX;
}

int tape_order_open(const char *dir, int rank, char *error, size_t n)
{
	char path[sizeof tape_process.dir + 64];
	size_t bytes;

	forget_file();
	*error = '\0';
	snprintf(path, sizeof path, "%s/order.%d", dir, rank);
	if (read_file(path, &bytes)) {
		snprintf(error, n, "cannot read %.800s: %s", path,
			 strerror(errno));
		return -1;
	}
	if (check_header(path, bytes, rank, error, n))
		return -1;
	if (walk_decisions()) {
		snprintf(error, n, "%.800s: byte %llu: damaged", path,
			 (unsigned long long)(at - map));
		return -1;
	}
	if (has_numbers && !numbers_all_requests()) {
		snprintf(error, n,
			 "%.800s is of a trace of events: to replay it, record "
			 "all calls",
			 path);
		return -1;
	}
	if (n_posts) {
		posts = malloc(n_posts * sizeof *posts);
		if (!posts) {
			snprintf(error, n, "%.800s: out of memory", path);
			return -1;
		}
		walk_decisions();
		qsort(posts, n_posts, sizeof *posts, compare_posts);
	}
	at = map + TAPE_ORDER_HEADER;
	position = 0;
	tape_order_advance();
	return 0;
}

const struct tape_order_decision *tape_order_peek(void)
{
	return has_next ? &next : NULL;
}

void tape_order_advance(void)
{
	do
		has_next = tape_order_read(&at, end, &next) == 1;
	while (has_next && is_of_post(&next));
	has_next = has_next && next.kind != TAPE_DECISION_FINISHED;
	position++;
}

uint64_t tape_order_position(void)
{
	return position;
}

uint64_t tape_order_count_posts(void)
{
	return recorded_posts;
}

const struct tape_order_decision *tape_order_end_of_post(uint64_t number)
{
	struct tape_order_decision key = {.number = number};

	return n_posts
		   ? bsearch(&key, posts, n_posts, sizeof *posts, compare_posts)
		   : NULL;
}
TAPE_ON_OWN_STACK_END
