/* Writes traces that come in pieces; see spool.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "stream_piece.h"
#include "live_file.h"
#include "record.h"
#include "spool.h"

enum { RANKS = 1 << 22, THREADS = 65536, NAME = 64 };

/* Where the header's length of the records stands: it makes them valid. */
enum { USED_AT = 20, USED_END = 24, MAGIC_END = 4 };

/* A flow's unconsumed part is asked for when so much has come since. */
enum { CHECK_BYTES = 256 << 10 };

struct file {
	int fd;		/* -1: not open */
	uint64_t since; /* bytes since it was last looked at */
	uint64_t end;	/* of what has come */
};

struct rank {
	struct file text;   /* rank.R */
	struct file *flows; /* by thread */
	int n;
};

struct spool_program {
	char dir[4096];
	struct rank *ranks;
	int n;
	int full; /* fd of the flow that is, or -1 */
	int live; /* fd of DIR/live, or -1 */
	int seen; /* it had an analyser */
	int64_t born_ms;
};

int64_t spool_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct spool_program *spool_open(const char *dir)
{
	struct spool_program *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	snprintf(p->dir, sizeof p->dir, "%s", dir);
	p->full = p->live = -1;
	p->born_ms = spool_now_ms();
	return p;
}

static void close_file(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

static void close_files(struct spool_program *p)
{
	for (int r = 0; r < p->n; r++) {
		close_file(&p->ranks[r].text);
		for (int t = 0; t < p->ranks[r].n; t++)
			close_file(&p->ranks[r].flows[t]);
	}
	p->full = -1;
}

/* Opens DIR/name; where descriptors are short all others are closed. */
static int open_named(struct spool_program *p, const char *name)
{
	char path[sizeof p->dir + NAME];
	int fd;

	snprintf(path, sizeof path, "%s/%s", p->dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EMFILE) {
		close_files(p);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	}
	return fd;
}

void spool_close(struct spool_program *p)
{
	close_files(p);
	for (int r = 0; r < p->n; r++)
		free(p->ranks[r].flows);
	if (p->live >= 0)
		close(p->live);
	free(p->ranks);
	free(p);
}

/* Makes room for what is known of that rank. */
static int know_rank(struct spool_program *p, int rank)
{
	int n = rank < 64 ? 64 : 2 * rank;
	struct rank *more;

	if (rank < p->n)
		return 0;
	more = realloc(p->ranks, (size_t)n * sizeof *more);
	if (!more)
		return -1;
	p->ranks = more;
	for (; p->n < n; p->n++)
		more[p->n] = (struct rank){.text = {.fd = -1}};
	return 0;
}

static struct file *flow_of(struct rank *r, uint32_t thread)
{
	if (thread >= THREADS)
		return NULL;
	if ((int)thread >= r->n) {
		int n = (int)thread + 1;
		struct file *more = realloc(r->flows, (size_t)n * sizeof *more);

		if (!more)
			return NULL;
		for (int i = r->n; i < n; i++)
			more[i] = (struct file){.fd = -1};
		r->flows = more;
		r->n = n;
	}
	return &r->flows[thread];
}

static int put(int fd, const unsigned char *data, uint64_t n, uint64_t at)
{
	while (n) {
		ssize_t done = pwrite(fd, data, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		at += (uint64_t)done;
		n -= (uint64_t)done;
	}
	return 0;
}

/* A record's first byte makes it and those behind it visible. */
static int put_records(int fd, const unsigned char *data,
		       const struct tape_frame *h)
{
	return put(fd, data + 1, h->bytes - 1, h->at + 1) ||
	       put(fd, data, 1, h->at);
}

/* The header's length makes a chunk valid, its magic an open one. */
static int put_header(int fd, const unsigned char *data,
		      const struct tape_frame *h)
{
	return put(fd, data + USED_END, h->bytes - USED_END,
		   h->at + USED_END) ||
	       put(fd, data + MAGIC_END, USED_AT - MAGIC_END,
		   h->at + MAGIC_END) ||
	       put(fd, data + USED_AT, USED_END - USED_AT, h->at + USED_AT) ||
	       put(fd, data, MAGIC_END, h->at);
}

static int put_text(struct spool_program *p, struct file *f, const char *name,
		    const unsigned char *data, const struct tape_frame *h)
{
	if (f->fd < 0)
		f->fd = open_named(p, name);
	return f->fd < 0 || put(f->fd, data, h->bytes, h->at);
}

/*
 * An open chunk is as long as the others, if need be with zeros: so it can be
 * read should nothing more come. The last one ends where its records do.
 */
static int set_size(const struct file *f, const struct tape_frame *h, int open)
{
	uint64_t whole = h->at + TAPE_CHUNK_BYTES;

	if (open)
		return ftruncate(f->fd, (off_t)whole);
	return f->end < whole ? ftruncate(f->fd, (off_t)f->end) : 0;
}

static int put_flow(struct spool_program *p, int rank,
		    const unsigned char *data, const struct tape_frame *h)
{
	struct file *f = flow_of(&p->ranks[rank], h->thread);
	char name[NAME];
	int rc;

	if (!f) {
		errno = ENOMEM;
		return -1;
	}
	snprintf(name, sizeof name, "flow.%d.%u", rank, h->thread);
	if (f->fd < 0)
		f->fd = open_named(p, name);
	if (f->fd < 0)
		return -1;
	rc = h->kind == TAPE_FRAME_CHUNK ? put_header(f->fd, data, h)
					 : put_records(f->fd, data, h);
	if (h->kind == TAPE_FRAME_CHUNK)
		rc = rc || set_size(f, h, !tape_get32(data + USED_AT));
	else
		f->end = h->at + h->bytes;
	f->since += h->bytes;
	if (f->since >= CHECK_BYTES) {
		f->since = 0;
		p->full = f->fd;
	}
	return rc;
}

static int put_one(struct spool_program *p, int rank, const unsigned char *data,
		   const struct tape_frame *h)
{
	struct file once = {.fd = -1};
	char name[NAME];
	int rc = -1;

	switch ((enum tape_frame_kind)h->kind) {
	case TAPE_FRAME_META:
	case TAPE_FRAME_CLOCKS:
		rc = put_text(p, &once,
			      h->kind == TAPE_FRAME_META ? "meta" : "clocks",
			      data, h);
		close_file(&once);
		break;
	case TAPE_FRAME_RANK:
		snprintf(name, sizeof name, "rank.%d", rank);
		rc = put_text(p, &p->ranks[rank].text, name, data, h);
		break;
	case TAPE_FRAME_RECORDS:
	case TAPE_FRAME_CHUNK:
		rc = put_flow(p, rank, data, h);
		break;
	}
	return rc;
}

/* What is said of itself is possible. */
static int is_sound(const struct tape_frame *h, size_t left)
{
	if (h->kind < TAPE_FRAME_META || h->kind > TAPE_FRAME_CHUNK ||
	    !h->bytes || h->bytes > left || h->at > (uint64_t)1 << 56)
		return 0;
	switch ((enum tape_frame_kind)h->kind) {
	case TAPE_FRAME_META:
	case TAPE_FRAME_CLOCKS:
	case TAPE_FRAME_RANK:
		break;
	case TAPE_FRAME_RECORDS:
		return h->at % TAPE_CHUNK_BYTES >= TAPE_CHUNK_HEADER &&
		       h->at % TAPE_CHUNK_BYTES + h->bytes <= TAPE_CHUNK_BYTES;
	case TAPE_FRAME_CHUNK:
		return h->at % TAPE_CHUNK_BYTES == 0 &&
		       h->bytes == TAPE_CHUNK_HEADER;
	}
	return 1;
}

int spool_take(struct spool_program *p, int rank, const void *message,
	       size_t bytes, char *error, size_t n)
{
	const unsigned char *at = message;

	while (bytes) {
		struct tape_frame h = {0};

		if (bytes >= sizeof h)
			memcpy(&h, at, sizeof h);
		if (rank < 0 || rank >= RANKS || bytes < sizeof h ||
		    !is_sound(&h, bytes - sizeof h)) {
			snprintf(error, n,
				 "%s: rank %d sent what is no part "
				 "of a trace",
				 p->dir, rank);
			return -1;
		}
		if (know_rank(p, rank) ||
		    put_one(p, rank, at + sizeof h, &h)) {
			snprintf(error, n, "%s cannot be written: %s", p->dir,
				 strerror(errno));
			return -1;
		}
		at += sizeof h + h.bytes;
		bytes -= sizeof h + h.bytes;
	}
	return 0;
}

/* Does an analyser hold the trace? */
static int is_held(struct spool_program *p)
{
	char path[sizeof p->dir + NAME];

	if (p->live < 0) {
		snprintf(path, sizeof path, "%s/" TAPE_LIVE_FILE, p->dir);
		p->live =
		    open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	}
	if (p->live < 0)
		return 0;
	if (!flock(p->live, LOCK_SH | LOCK_NB)) {
		flock(p->live, LOCK_UN);
		return 0;
	}
	p->seen = 1;
	return 1;
}

/* Does one, and has it events enough? */
static int is_busy(struct spool_program *p, int expected)
{
	unsigned char hungry = 0;

	if (!is_held(p)) /* it may be about to come */
		return expected && !p->seen &&
		       spool_now_ms() - p->born_ms < TAPE_LIVE_GRACE_MS;
	return pread(p->live, &hungry, 1, TAPE_LIVE_HUNGRY) != 1 || !hungry;
}

int spool_is_left(struct spool_program *p)
{
	return !is_held(p) && p->seen;
}

int spool_is_full(struct spool_program *p, int expected)
{
	struct stat s;

	if (p->full < 0)
		return 0;
	if (!fstat(p->full, &s) && (uint64_t)s.st_blocks * 512 > SPOOL_LIMIT &&
	    is_busy(p, expected))
		return 1;
	p->full = -1;
	return 0;
}

void spool_remove(const char *dir)
{
	char path[4096 + 300];
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}
