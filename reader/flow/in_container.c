/* Files of a trace in containers; see in_container.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "growing_array.h"
#include "lower_bound.h"
#include "container.h"
#include "in_container.h"
#include "sort.h"
#include "tape_files.h"

enum { THREADS_MAX = 1000000 };

/* ---- the indices ---- */

static int compare_parts(const void *a, const void *b)
{
	const struct tape_part *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int bad_index(struct tape_trace *t, uint32_t container, const char *what)
{
	return tape_trace_fail(t, TAPE_EFORMAT, "%s/%s: %s", t->path,
			       t->containers[container].name, what);
}

static int add_index_entry(struct tape_trace *t, uint32_t container,
			   const unsigned char *e)
{
	struct tape_part p = {.rank = tape_get32(e),
			      .thread = tape_get32(e + 4),
			      .at = tape_get64(e + 8),
			      .place = tape_get64(e + 16),
			      .bytes = tape_get64(e + 24),
			      .container = container};
	struct tape_part *grown;

	if (!p.bytes)
		return 0;
	if (p.rank >= t->n_ranks ||
	    (p.thread != TAPE_CONTAINER_TEXT && p.thread > THREADS_MAX))
		return bad_index(t, container, "this rank is not in meta");
	if (p.place < TAPE_CONTAINER_PLACES || p.place >> 62 || p.bytes >> 62 ||
	    p.at >> 62)
		return bad_index(t, container, "bad entry in its index");
	grown = tape_grow_list(t->parts, t->n_parts, sizeof *grown);
	if (!grown)
		return tape_trace_no_memory(t);
	t->parts = grown;
	t->parts[t->n_parts++] = p;
	return 0;
}

/* A fourth of what the process may have open. */
static size_t max_open_files(void)
{
	struct rlimit l;

	return getrlimit(RLIMIT_NOFILE, &l) ? 0 : (size_t)l.rlim_cur / 4;
}

/* One that was just made may be empty: its ranks are missing. */
static int read_index(struct tape_trace *t, uint32_t container)
{
	struct tape_container *c = &t->containers[container];
	struct tape_part_file f = {.fd = -1};
	unsigned char head[TAPE_CONTAINER_HEAD], e[TAPE_CONTAINER_ENTRY];
	unsigned char *all = NULL;
	uint64_t n;
	size_t bytes;
	int rc = 0;

	f.fd = tape_open_file(t->dir, c->name, NULL);
	if (f.fd < 0)
		return tape_trace_fail(t, TAPE_EIO, "%s/%s: %s", t->path,
				       c->name, tape_file_error_text(errno));
	if (tape_part_read(&f, head, sizeof head, 0) != (ssize_t)sizeof head)
		goto out;
	n = tape_get64(head + 16);
	if (tape_get32(head) != TAPE_CONTAINER_MAGIC ||
	    n > TAPE_CONTAINER_ENTRIES) {
		rc = bad_index(t, container, "not a container of ranks");
		goto out;
	}
	if (tape_get32(head + 4) != TAPE_CONTAINER_VERSION) {
		rc = tape_trace_fail(t, TAPE_EVERSION,
				     "%s/%s: a newer version than this, %s",
				     t->path, c->name, TAPE_VERSION);
		goto out;
	}
	bytes = (size_t)n * sizeof e;
	all = calloc(bytes + 1, 1);
	if (!all)
		rc = tape_trace_no_memory(t);
	else if (tape_part_read(&f, all, bytes, sizeof head) < 0)
		rc = bad_index(t, container, tape_file_error_text(errno));
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_index_entry(t, container, all + i * sizeof e);
out:
	free(all);
	if (container < max_open_files())
		c->fd = f.fd;
	else
		close(f.fd);
	return rc;
}

/* Pieces of a file are of one container, one right after the other. */
static int check_order(struct tape_trace *t)
{
	for (size_t i = 0; i < t->n_parts; i++) {
		const struct tape_part *p = &t->parts[i], *before = p - 1;
		int first = !i || before->rank != p->rank ||
			    before->thread != p->thread;

		if (first ? p->at != 0
			  : before->container != p->container ||
				before->at + before->bytes != p->at)
			return bad_index(
			    t, p->container,
			    "the extents of a file are not consecutive");
	}
	return 0;
}

static int compare_container_names(const void *a, const void *b)
{
	const struct tape_container *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* In the order of their names, for the same sentences everywhere. */
static int list_containers(struct tape_trace *t)
{
	static const char prefix[] = TAPE_CONTAINER_PREFIX;
	DIR *dir = tape_trace_list(t);
	struct dirent *e;
	struct tape_container *grown;
	int rc = 0;

	if (!dir)
		return tape_trace_fail(t, TAPE_EIO, "%s: %s", t->path,
				       strerror(errno));
	while (!rc && (e = readdir(dir))) {
		if (strncmp(e->d_name, prefix, sizeof prefix - 1))
			continue;
		grown = tape_grow_list(t->containers, t->n_containers,
				       sizeof *grown);
		if (grown)
			t->containers = grown;
		if (!grown ||
		    !(grown[t->n_containers].name = strdup(e->d_name)))
			rc = tape_trace_no_memory(t);
		else
			grown[t->n_containers++].fd = -1;
	}
	closedir(dir);
	if (t->n_containers)
		tape_sort(t->containers, t->n_containers, sizeof *t->containers,
			  compare_container_names);
	return rc;
}

int tape_parts_read(struct tape_trace *t)
{
	const char *layout = tape_trace_meta(t, "layout", 0);
	int rc;

	if (!layout)
		return 0;
	if (strcmp(layout, "node"))
		return tape_trace_fail(t, TAPE_EVERSION,
				       "%s/meta: a layout of a newer version "
				       "than this, %s",
				       t->path, TAPE_VERSION);
	if (t->follow)
		return tape_trace_fail(
		    t, TAPE_ERANGE,
		    "%s: the ranks share files (layout = node), so it can be "
		    "read only after the run",
		    t->path);
	t->in_containers = 1;
	rc = list_containers(t);
	for (size_t i = 0; !rc && i < t->n_containers; i++)
		rc = read_index(t, (uint32_t)i);
	if (!rc && t->n_parts)
		tape_sort(t->parts, t->n_parts, sizeof *t->parts,
			  compare_parts);
	return rc ? rc : check_order(t);
}

void tape_parts_free(struct tape_trace *t)
{
	for (size_t i = 0; i < t->n_containers; i++) {
		free(t->containers[i].name);
		if (t->containers[i].fd >= 0)
			close(t->containers[i].fd);
	}
	free(t->containers);
	free(t->parts);
}

const char *tape_trace_container(const struct tape_trace *t, size_t i)
{
	return i < t->n_containers ? t->containers[i].name : NULL;
}

int tape_trace_in_containers(const struct tape_trace *t)
{
	return t->in_containers;
}

int tape_parts_flow(const struct tape_trace *t, size_t *i, uint32_t *rank,
		    uint32_t *thread)
{
	for (; *i < t->n_parts; ++*i) {
		const struct tape_part *p = &t->parts[*i];

		if (p->thread == TAPE_CONTAINER_TEXT || p->at)
			continue;
		*rank = p->rank;
		*thread = p->thread;
		++*i;
		return 1;
	}
	return 0;
}

/* ---- files ---- */

/* Of which rank and thread is a file of that name? 0: of none. */
static int parse_file_name(const char *name, struct tape_part *key)
{
	char again[64];

	key->at = 0;
	if (sscanf(name, "flow.%9u.%9u", &key->rank, &key->thread) == 2) {
		snprintf(again, sizeof again, "flow.%u.%u", key->rank,
			 key->thread);
	} else if (sscanf(name, "rank.%9u", &key->rank) == 1) {
		key->thread = TAPE_CONTAINER_TEXT;
		snprintf(again, sizeof again, "rank.%u", key->rank);
	} else {
		return 0;
	}
	return !strcmp(name, again);
}

int tape_part_open(const struct tape_trace *t, const char *name,
		   struct tape_part_file *f)
{
	struct tape_part key;
	const struct tape_part *p, *end, *last;

	*f = (struct tape_part_file){.fd = -1};
	if (!t->in_containers || !parse_file_name(name, &key)) {
		f->fd = tape_open_file(t->dir, name, &f->size);
		return f->fd < 0 ? -1 : 0;
	}
	p = tape_search(&key, t->parts, t->n_parts, sizeof *p, compare_parts);
	if (!p) {
		errno = ENOENT;
		return -1;
	}
	f->parts = p;
	end = t->parts + t->n_parts;
	for (last = p;
	     p < end && p->rank == key.rank && p->thread == key.thread; p++)
		last = p;
	f->n = (size_t)(p - f->parts);
	f->size = last->at + last->bytes;
	f->fd = t->containers[last->container].fd;
	f->kept = f->fd >= 0;
	if (!f->kept)
		f->fd = tape_open_file(
		    t->dir, t->containers[last->container].name, NULL);
	return f->fd < 0 ? -1 : 0;
}

static ssize_t read_plain(int fd, char *to, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got;

	while (done < n) {
		got = pread(fd, to + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* The piece that holds that offset. */
static const struct tape_part *find_part(const struct tape_part_file *f,
					 uint64_t at)
{
	size_t i;

	TAPE_LOWER_BOUND(i, f->n, f->parts[i].at <= at);
	return &f->parts[i ? i - 1 : 0];
}

ssize_t tape_part_read(const struct tape_part_file *f, void *to, size_t n,
		       uint64_t at)
{
	size_t done = 0, some;
	ssize_t got;

	if (!f->parts)
		return read_plain(f->fd, to, n, at);
	while (done < n && at + done < f->size) {
		const struct tape_part *p = find_part(f, at + done);
		uint64_t skip = at + done - p->at;

		some = n - done;
		if (some > p->bytes - skip)
			some = (size_t)(p->bytes - skip);
		got =
		    read_plain(f->fd, (char *)to + done, some, p->place + skip);
		if (got < 0)
			return -1;
		done += (size_t)got;
		if ((size_t)got < some)
			break;
	}
	return (ssize_t)done;
}

void tape_part_close(struct tape_part_file *f)
{
	int why = errno;

	if (f->fd >= 0 && !f->kept)
		close(f->fd);
	f->fd = -1;
	errno = why;
}

ssize_t tape_trace_bytes(const struct tape_trace *t, const char *name,
			 uint64_t at, void *to, size_t n)
{
	struct tape_part_file f;
	ssize_t got;

	if (tape_part_open(t, name, &f))
		return -1;
	got = tape_part_read(&f, to, n, at);
	tape_part_close(&f);
	return got;
}
