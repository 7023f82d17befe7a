/* Writes traces whose data arrives in pieces; see spool.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "stream_piece.h"
#include "clock_ms.h"
#include "live_file.h"
#include "record.h"
#include "spool.h"
#include "table.h"

enum { THREADS = 65536, NAME = 64 };

/* Longest text file. */
enum { TEXT_BYTES = 256 << 20 };

/* Space of the file system left to other programs: 1/16, but at most this. */
enum { RESERVED_PART = 16, RESERVED_BYTES = 256 << 20, RESERVED_FILES = 4096 };

/* Offsets in a chunk's header: of its length and magic, which make it valid. */
enum { USED_AT = 20, USED_END = 24, MAGIC_END = 4 };

/* The unconsumed part of a flow is checked again after this number of bytes. */
enum { CHECK_BYTES = 256 << 10 };

struct file {
	int fd;		/* -1: not open */
	int is_ours;	/* the file was created here */
	int rank;	/* the rank that writes it, if is_ours */
	uint64_t n_unchecked; /* bytes since the last check */
	uint64_t end;	/* offset of the end of the data */
};

struct spool_program {
	char dir[4096];
	struct file meta, clocks;
	struct tape_table texts; /* rank.R, by rank + 1 */
	struct tape_table flows; /* by flow_key() */
	int full_fd;		 /* fd of the flow to check, or -1 */
	int live_fd;		 /* fd of DIR/live, or -1 */
	int analyser_seen;	 /* an analyser has been seen */
	int64_t born_ms;
};

static const struct file no_file = {.fd = -1};

struct spool_program *spool_open(const char *dir)
{
	struct spool_program *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	snprintf(p->dir, sizeof p->dir, "%s", dir);
	p->full_fd = p->live_fd = -1;
	p->meta = p->clocks = no_file;
	p->texts.bytes = p->flows.bytes = sizeof(struct file);
	p->born_ms = tape_now_ms();
	return p;
}

static void close_file(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void spool_close_files(struct spool_program *p)
{
	struct file *f;
	uint64_t key;

	for (size_t at = 0; (f = tape_table_each(&p->texts, &at, &key));)
		close_file(f);
	for (size_t at = 0; (f = tape_table_each(&p->flows, &at, &key));)
		close_file(f);
	close_file(&p->meta);
	close_file(&p->clocks);
	p->full_fd = -1;
}

static int open_or_create(const struct spool_program *p, const char *name,
			  int is_ours)
{
	char path[sizeof p->dir + NAME];

	snprintf(path, sizeof path, "%s/%s", p->dir, name);
	return open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW |
			      (is_ours ? 0 : O_CREAT | O_EXCL), 0666);
}

/*
 * Opens the file DIR/name. Creates it the first time: a file that existed
 * before, or that another rank writes, is not touched (EEXIST). If descriptors
 * are short, closes all other files.
 */
static int open_spool_file(struct spool_program *p, struct file *f,
			   const char *name, int rank)
{
	if (f->is_ours && f->rank != rank) {
		errno = EEXIST;
		return -1;
	}
	if (f->fd >= 0)
		return 0;
	f->fd = open_or_create(p, name, f->is_ours);
	if (f->fd < 0 && errno == EMFILE) {
		spool_close_files(p);
		f->fd = open_or_create(p, name, f->is_ours);
	}
	if (f->fd < 0)
		return -1;
	f->is_ours = 1;
	f->rank = rank;
	return 0;
}

void spool_close(struct spool_program *p)
{
	spool_close_files(p);
	tape_table_free(&p->texts);
	tape_table_free(&p->flows);
	if (p->live_fd >= 0)
		close(p->live_fd);
	free(p);
}

/* Returns the entry of a file in a table, maybe new; NULL: out of memory. */
static struct file *get_file_entry(struct tape_table *t, uint64_t key)
{
	struct file *f = tape_table_find(t, key);

	if (f)
		return f;
	f = tape_table_get(t, key);
	if (f)
		*f = no_file;
	else
		errno = ENOMEM;
	return f;
}

static uint64_t flow_key(int rank, uint32_t thread)
{
	return 1 + (uint64_t)rank * THREADS + thread;
}

/* Opens the text file of the rank. Returns NULL with errno if it cannot. */
static struct file *open_rank(struct spool_program *p, int rank)
{
	struct file *f = get_file_entry(&p->texts, (uint64_t)rank + 1);
	char name[NAME];

	snprintf(name, sizeof name, "rank.%d", rank);
	return f && !open_spool_file(p, f, name, rank) ? f : NULL;
}

int spool_has_local_rank(const struct spool_program *p, int rank)
{
	const struct file *f = tape_table_find(&p->texts, (uint64_t)rank + 1);
	char path[sizeof p->dir + NAME];
	struct stat s;

	snprintf(path, sizeof path, "%s/rank.%d", p->dir, rank);
	return !(f && f->is_ours) && !lstat(path, &s);
}

int spool_begin_rank(struct spool_program *p, int rank)
{
	const struct file *f = tape_table_find(&p->texts, (uint64_t)rank + 1);

	if (f && f->is_ours) {
		errno = EEXIST;
		return -1;
	}
	return open_rank(p, rank) ? 0 : -1;
}

void spool_remove_rank(struct spool_program *p, int rank)
{
	struct file *f = tape_table_find(&p->texts, (uint64_t)rank + 1);
	char path[sizeof p->dir + NAME];

	if (!f || !f->is_ours)
		return;
	close_file(f);
	tape_table_drop(&p->texts, (uint64_t)rank + 1);
	snprintf(path, sizeof path, "%s/rank.%d", p->dir, rank);
	unlink(path);
}

static int write_bytes_at(int fd, const unsigned char *data, uint64_t n,
			  uint64_t at)
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

/* Writes records: the first byte last, which makes all of them visible. */
static int write_records(int fd, const unsigned char *data,
			 const struct tape_frame *h)
{
	return write_bytes_at(fd, data + 1, h->bytes - 1, h->at + 1) ||
	       write_bytes_at(fd, data, 1, h->at);
}

/* Writes a header: the length and the magic, which make it valid, last. */
static int write_chunk_header(int fd, const unsigned char *data,
			      const struct tape_frame *h)
{
	return write_bytes_at(fd, data + USED_END, h->bytes - USED_END,
			      h->at + USED_END) ||
	       write_bytes_at(fd, data + MAGIC_END, USED_AT - MAGIC_END,
			      h->at + MAGIC_END) ||
	       write_bytes_at(fd, data + USED_AT, USED_END - USED_AT,
			      h->at + USED_AT) ||
	       write_bytes_at(fd, data, MAGIC_END, h->at);
}

static int write_text_piece(struct file *f, const unsigned char *data,
			    const struct tape_frame *h)
{
	if (h->at > f->end || h->at + h->bytes > TEXT_BYTES) {
		errno = EFBIG;
		return -1;
	}
	if (f->end < h->at + h->bytes)
		f->end = h->at + h->bytes;
	return write_bytes_at(f->fd, data, h->bytes, h->at);
}

/*
 * Sets the size of the file. An open chunk has its full size, with zeros at its
 * end, so that it can be read if no more data arrives. The last chunk ends
 * after its records.
 */
static int set_flow_size(const struct file *f, const struct tape_frame *h,
			 int open)
{
	uint64_t whole = h->at + TAPE_CHUNK_BYTES;

	if (open)
		return ftruncate(f->fd, (off_t)whole);
	return f->end < whole ? ftruncate(f->fd, (off_t)f->end) : 0;
}

static int write_flow_piece(struct spool_program *p, int rank,
			    const unsigned char *data,
			    const struct tape_frame *h)
{
	struct file *f = get_file_entry(&p->flows, flow_key(rank, h->thread));
	char name[NAME];
	int rc;

	snprintf(name, sizeof name, "flow.%d.%u", rank, h->thread);
	if (!f || open_spool_file(p, f, name, rank))
		return -1;
	/* chunks must be successive */
	if (h->at / TAPE_CHUNK_BYTES >
	    (f->end + TAPE_CHUNK_BYTES - 1) / TAPE_CHUNK_BYTES) {
		errno = EFBIG;
		return -1;
	}
	rc = h->kind == TAPE_FRAME_CHUNK ? write_chunk_header(f->fd, data, h)
					 : write_records(f->fd, data, h);
	if (f->end < h->at + h->bytes)
		f->end = h->at + h->bytes;
	if (h->kind == TAPE_FRAME_CHUNK)
		rc = rc || set_flow_size(f, h, !tape_get32(data + USED_AT));
	f->n_unchecked += h->bytes;
	if (f->n_unchecked >= CHECK_BYTES) {
		f->n_unchecked = 0;
		p->full_fd = f->fd;
	}
	return rc;
}

/* Writes one piece. Returns 0, or non-zero with errno; EEXIST and EFBIG mean
 * that the piece is not valid. */
static int write_piece(struct spool_program *p, int rank,
		       const unsigned char *data, const struct tape_frame *h)
{
	struct file *f = NULL;
	int rc = -1;

	switch ((enum tape_frame_kind)h->kind) {
	case TAPE_FRAME_META:
		rc = open_spool_file(p, &p->meta, "meta", rank) ||
		     write_text_piece(&p->meta, data, h);
		close_file(&p->meta);
		break;
	case TAPE_FRAME_CLOCKS:
		rc = open_spool_file(p, &p->clocks, "clocks", rank) ||
		     write_text_piece(&p->clocks, data, h);
		close_file(&p->clocks);
		break;
	case TAPE_FRAME_RANK:
		f = open_rank(p, rank);
		rc = f ? write_text_piece(f, data, h) : -1;
		break;
	case TAPE_FRAME_RECORDS:
	case TAPE_FRAME_CHUNK:
		/* the rank is known to be the sender's */
		rc = open_rank(p, rank) ? write_flow_piece(p, rank, data, h)
					: -1;
		break;
	}
	return rc;
}

/* Returns 1 if the frame's numbers are possible. */
static int frame_is_valid(const struct tape_frame *h, size_t left)
{
	if (h->kind < TAPE_FRAME_META || h->kind > TAPE_FRAME_CHUNK ||
	    !h->bytes || h->bytes > left || h->at > (uint64_t)1 << 56 ||
	    h->thread >= THREADS)
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

/* Returns 1 if enough of the file system is left to other programs. */
static int has_room(const struct spool_program *p)
{
	struct statvfs v;
	uint64_t reserved, files;

	if (statvfs(p->dir, &v))
		return 1;
	reserved = (uint64_t)v.f_blocks * v.f_frsize / RESERVED_PART;
	if (reserved > RESERVED_BYTES)
		reserved = RESERVED_BYTES;
	files = v.f_files / RESERVED_PART;
	if (files > RESERVED_FILES)
		files = RESERVED_FILES;
	return (uint64_t)v.f_bavail * v.f_frsize >= reserved &&
	       v.f_ffree >= files;
}

static enum spool_result write_error_text(const struct spool_program *p,
					  int rank, char *error, size_t n)
{
	if (errno == EEXIST)
		snprintf(error, n,
			 "%s: rank %d sent a file that another process writes",
			 p->dir, rank);
	else if (errno == EFBIG)
		snprintf(error, n, "%s: invalid data received from rank %d",
			 p->dir, rank);
	else
		snprintf(error, n, "cannot write %s: %s", p->dir,
			 strerror(errno));
	return errno == EEXIST || errno == EFBIG ? SPOOL_REFUSED : SPOOL_FAILED;
}

enum spool_result spool_write_message(struct spool_program *p, int rank,
				      const void *message, size_t bytes,
				      char *error, size_t n)
{
	const unsigned char *at = message;

	if (!has_room(p)) {
		snprintf(error, n, "%s: no space for the data of rank %d",
			 p->dir, rank);
		return SPOOL_REFUSED;
	}
	while (bytes) {
		struct tape_frame h = {0};

		if (bytes >= sizeof h)
			memcpy(&h, at, sizeof h);
		errno = EFBIG;
		if (rank < 0 || rank >= SPOOL_RANKS || bytes < sizeof h ||
		    !frame_is_valid(&h, bytes - sizeof h) ||
		    write_piece(p, rank, at + sizeof h, &h))
			return write_error_text(p, rank, error, n);
		at += sizeof h + h.bytes;
		bytes -= sizeof h + h.bytes;
	}
	return SPOOL_WRITTEN;
}

/* Returns 1 if the file says that an analyser has begun. */
static int analyser_has_begun(int fd)
{
	unsigned char pid[4];

	return pread(fd, pid, sizeof pid, TAPE_LIVE_PID) == sizeof pid &&
	       tape_get32(pid);
}

/* Returns 1 if an analyser holds the lock of the trace. */
static int analyser_holds_trace(struct spool_program *p)
{
	char path[sizeof p->dir + NAME];

	if (p->live_fd < 0) {
		snprintf(path, sizeof path, "%s/" TAPE_LIVE_FILE, p->dir);
		p->live_fd =
		    open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	}
	if (p->live_fd < 0)
		return 0;
	if (!flock(p->live_fd, LOCK_SH | LOCK_NB)) {
		flock(p->live_fd, LOCK_UN);
		/* an analyser may have begun and ended meanwhile */
		p->analyser_seen |= analyser_has_begun(p->live_fd);
		return 0;
	}
	p->analyser_seen = 1;
	return 1;
}

/* Returns 1 if an analyser holds the trace and is not starved. An expected
 * analyser counts for some time before it has started. */
static int analyser_is_busy(struct spool_program *p, int expected)
{
	unsigned char starved = 0;

	if (!analyser_holds_trace(p))  /* it may be starting */
		return expected && !p->analyser_seen &&
		       tape_now_ms() - p->born_ms < TAPE_LIVE_GRACE_MS;
	return pread(p->live_fd, &starved, 1, TAPE_LIVE_STARVED) != 1 ||
	       !starved;
}

int spool_lost_analyser(struct spool_program *p)
{
	return !analyser_holds_trace(p) && p->analyser_seen;
}

int spool_is_full(struct spool_program *p, int expected)
{
	struct stat s;

	if (p->full_fd < 0)
		return 0;
	if (!fstat(p->full_fd, &s) &&
	    (uint64_t)s.st_blocks * 512 > SPOOL_LIMIT &&
	    analyser_is_busy(p, expected))
		return 1;
	p->full_fd = -1;
	return 0;
}
