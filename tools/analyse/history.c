/*
 * Calls of flows in memory, then in a temporary file; see history.h. Both are
 * mapped once, one behind the other, larger than they will be: the file grows
 * under the mapping, pointers into it hold. Room in it is allocated before it
 * is used: a full disk is an error, no signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "history.h"

enum { BLOCK = 1 << 14, STEP = 1 << 24 };
/* the address space taken, and what is tried where that is limited */
static const size_t most = (size_t)1 << 42, least = (size_t)1 << 28;
/* of which so many bytes, the first ones, are memory; or half of it */
static const size_t in_memory = (size_t)1 << 28;

struct flow {
	struct tape_sync *last;
	char *next, *end;          /* in its block */
	struct tape_spent *open;   /* since the last call */
	size_t n, room;
	struct tape_sync **mark; /* every so many calls */
	size_t calls;
};

struct tape_history {
	int file;
	char *map;
	size_t mapped, grown, used;
	struct flow *flows;
	size_t n;
};

/* A file that has no name, or loses it at once. */
static int temporary(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	if (snprintf(name, sizeof name, "%s/tape-XXXXXX", dir) >=
	    (int)sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static void map(struct tape_history *h)
{
	void *p = MAP_FAILED;

	for (h->mapped = most; h->mapped >= least; h->mapped /= 4) {
		p = mmap(NULL, h->mapped, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, h->file, 0);
		if (p != MAP_FAILED)
			break;
	}
	if (p == MAP_FAILED)
		return;
	h->map = p;
	h->grown = h->mapped / 2 < in_memory ? h->mapped / 2 : in_memory;
	if (mmap(p, h->grown, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		/* what was there may be gone */
		munmap(h->map, h->mapped);
		h->map = NULL;
	}
}

struct tape_history *tape_history_new(size_t flows)
{
	struct tape_history *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->n = flows;
	h->flows = calloc(flows + 1, sizeof *h->flows);
	h->file = temporary();
	if (h->flows && h->file >= 0)
		map(h);
	if (h->map)
		return h;
	tape_history_free(h);
	return NULL;
}

void tape_history_free(struct tape_history *h)
{
	int error = errno;

	if (!h)
		return;
	for (size_t i = 0; h->flows && i < h->n; i++) {
		free(h->flows[i].open);
		free(h->flows[i].mark);
	}
	free(h->flows);
	if (h->map)
		munmap(h->map, h->mapped);
	if (h->file >= 0)
		close(h->file);
	free(h);
	errno = error;
}

int tape_history_spend(struct tape_history *h, size_t flow, uint32_t activity,
		       int64_t ns)
{
	struct flow *f = &h->flows[flow];

	if (ns <= 0)
		return 0;
	for (size_t i = f->n; i-- > 0;)
		if (f->open[i].activity == activity) {
			f->open[i].ns += ns;
			return 0;
		}
	if (f->n == f->room) {
		size_t room = f->room ? 2 * f->room : 8;
		struct tape_spent *open =
			realloc(f->open, room * sizeof *open);

		if (!open)
			return -1;
		f->open = open;
		f->room = room;
	}
	f->open[f->n++] = (struct tape_spent){ activity, 0, ns };
	return 0;
}

/* So many bytes more of the file. */
static char *room(struct tape_history *h, size_t bytes)
{
	char *p;

	if (bytes > h->mapped - h->used) {
		errno = EFBIG;
		return NULL;
	}
	while (h->used + bytes > h->grown) {
		int rc = posix_fallocate(h->file, (off_t)h->grown, STEP);

		if (rc) {
			errno = rc;
			return NULL;
		}
		h->grown += STEP;
	}
	p = h->map + h->used;
	h->used += bytes;
	return p;
}

/* Every so many calls one is noted, so that a call is soon found by its time.
 */
enum { MARKED = 256 };

static int mark(struct flow *f, struct tape_sync *s)
{
	size_t n = f->calls / MARKED;

	if (f->calls++ % MARKED)
		return 0;
	if ((n & (n - 1)) == 0) { /* there is room for a power of two */
		size_t room = n ? 2 * n : 1;
		struct tape_sync **grown =
		    realloc(f->mark, room * sizeof(struct tape_sync *));

		if (!grown)
			return -1;
		f->mark = grown;
	}
	f->mark[n] = s;
	return 0;
}

struct tape_sync *tape_history_sync(struct tape_history *h, size_t flow)
{
	struct flow *f = &h->flows[flow];
	size_t bytes = sizeof(struct tape_sync) + f->n * sizeof *f->open;
	size_t block = bytes > BLOCK ? bytes : BLOCK;
	struct tape_sync *s;

	if ((size_t)(f->end - f->next) < bytes) {
		f->next = room(h, block);
		f->end = f->next ? f->next + block : NULL;
		if (!f->next)
			return NULL;
	}
	s = (struct tape_sync *)(void *)f->next;
	if (mark(f, s))
		return NULL;
	f->next += bytes;
	s->before = f->last;
	s->flow = (uint32_t)flow;
	s->n_spent = (uint32_t)f->n;
	if (f->n)
		memcpy(s->spent, f->open, f->n * sizeof *f->open);
	f->n = 0;
	f->last = s;
	return s;
}

struct tape_sync *tape_history_last(const struct tape_history *h, size_t flow)
{
	return h->flows[flow].last;
}

size_t tape_history_rest(const struct tape_history *h, size_t flow,
			 const struct tape_spent **list)
{
	*list = h->flows[flow].open;
	return h->flows[flow].n;
}

struct tape_sync *tape_history_at(const struct tape_history *h, size_t flow,
				  int64_t ns)
{
	const struct flow *f = &h->flows[flow];
	struct tape_sync *s = f->last;
	size_t low = 0, high = (f->calls + MARKED - 1) / MARKED;

	for (int near = 0; near < 32 && s && s->begun_ns > ns; near++)
		s = s->before;
	if (!s || s->begun_ns <= ns)
		return s;
	while (low < high) { /* marks below low began at ns or before */
		size_t middle = low + (high - low) / 2;

		if (f->mark[middle]->begun_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	if (high < (f->calls + MARKED - 1) / MARKED)
		s = f->mark[high];
	while (s && s->begun_ns > ns)
		s = s->before;
	return s;
}

size_t tape_history_flows(const struct tape_history *h)
{
	return h->n;
}
