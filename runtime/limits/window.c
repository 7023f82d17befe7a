/* The file of a flow; see window.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters.h"
#include "dropped_requests.h"
#include "error.h"
#include "rate_limit.h"
#include "shared_file.h"
#include "sink.h"
#include "window.h"

/* A chunk is changed on a stack that is large enough. */
TAPE_ON_OWN_STACK

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

const char *tape_output_path(const struct tape_flow *f, char *path, size_t n)
{
	if (tape_shared_is_used())
		return tape_shared_path(path, n);
	snprintf(path, n, "%s/flow.%d.%d", tape_process.dir, f->rank,
		 f->thread);
	return path;
}

off_t tape_output_place(const struct tape_flow *f)
{
	return (off_t)(tape_shared_is_used() ? f->piece.place : f->window_at);
}

/* Frees the blocks of the file between these two offsets. */
static void punch_hole(int fd, uint64_t from, uint64_t upto)
{
	uint64_t page = tape_page_bytes();

	from = (from + page - 1) / page * page;
	if (from < upto)
		(void)!TEMP_FAILURE_RETRY(
		    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)from, (off_t)(upto - from)));
}

/*
 * Room on the disk for n bytes of the flow from at on; where in the file goes
 * to *piece. Returns 0 or an errno.
 */
static int allocate_window(struct tape_flow *f, uint64_t at, uint64_t n,
			   int *fd, struct tape_piece *piece)
{
	char path[sizeof tape_process.dir + 64];
	int shared = tape_shared_is_used();
	struct tape_hold hold;
	int rc;

	*fd = tape_file_descriptor(&f->file, tape_process.dir,
				   tape_output_path(f, path, sizeof path));
	if (*fd < 0)
		return errno;
	piece->place = at;
	rc = shared
		 ? tape_shared_take(*fd, (uint32_t)f->thread, at, n, n, piece)
		 : 0;
	if (rc)
		return rc;
	tape_hold(&hold);
	do
		rc = posix_fallocate(*fd, (off_t)piece->place, (off_t)n);
	while (rc == EINTR);
	/* what the emulation of a missing fallocate left behind */
	if (rc && shared)
		punch_hole(*fd, piece->place, piece->place + n);
	else if (rc)
		(void)!TEMP_FAILURE_RETRY(ftruncate(*fd, (off_t)at));
	tape_release(&hold);
	if (rc && shared)
		tape_shared_set(*fd, piece, 0);
	return rc;
}

/* The first window of a rank, and of a flow that may not need much. */
enum { FIRST_WINDOW = 16 * TAPE_CHUNK_BYTES, SMALL_WINDOW = FIRST_WINDOW / 4 };

/*
 * How much to map next. A window costs memory and time (1.2 ms a MiB), of which
 * the first is a part of MPI_Init: so windows grow as they are used up. Many
 * threads may each record a little, and so may tasks of PVM, which come and go:
 * theirs begin smaller.
 */
static uint64_t next_window(const struct tape_flow *f)
{
	const struct tape_config *c = &tape_process.config;
	uint64_t n = c->window_bytes;
	uint64_t first = f->thread || tape_process.brief ? SMALL_WINDOW
							 : FIRST_WINDOW;

	/* in addition to the next window there is room for two */
	if (c->stream == TAPE_STREAM_NODE && n > c->stream_bytes / 3)
		n = c->stream_bytes / 3 / TAPE_CHUNK_BYTES * TAPE_CHUNK_BYTES;
	if (2 * f->window_bytes >= n || first > n)
		return n;
	return f->window_bytes ? 2 * f->window_bytes : first;
}

/*
 * No page fault in an event. Copy-on-write file systems may find only now that
 * there is no room: non-zero then.
 */
static int touch_pages(struct tape_flow *f, unsigned char *w, uint64_t n)
{
	size_t page = tape_page_bytes();
	int lost;

	if (f->broken)
		return -1;
	if (!TEMP_FAILURE_RETRY(madvise(w, n, MADV_POPULATE_WRITE)))
		return 0;
	if (errno == EFAULT)
		return -1;
	f->fresh = w;
	f->fresh_bytes = n;
	tape_mapping = f;
	for (uint64_t i = 0; i < n && !f->broken; i += page)
		*(volatile unsigned char *)(w + i) = 0;
	tape_mapping = NULL;
	f->fresh = NULL;
	lost = f->broken != NULL;
	f->broken = NULL;
	return lost;
}

/*
 * Without files the window is memory, of a chunk to write and others that the
 * calibration and readers of the last one may still look at.
 */
enum { MEMORY_WINDOW = 4 * TAPE_CHUNK_BYTES };

static int map_memory(struct tape_flow *f)
{
	unsigned char *w =
	    mmap(NULL, MEMORY_WINDOW, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (w == MAP_FAILED)
		return TAPE_EIO;
	madvise(w, MEMORY_WINDOW, MADV_DONTFORK);
	f->window = w;
	f->window_at = 0;
	f->window_bytes = MEMORY_WINDOW;
	return 0;
}

/* Maps the window of n bytes that starts at that offset of the file. */
static int map_window(struct tape_flow *f, uint64_t at, uint64_t n)
{
	struct tape_piece piece;
	unsigned char *w;
	int fd, rc = allocate_window(f, at, n, &fd, &piece);

	if (rc) {
		errno = rc;
		return TAPE_EIO;
	}
	w = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 (off_t)piece.place);
	if (w == MAP_FAILED)
		return TAPE_EIO;
	/* a forked child must not write into its parent's trace */
	madvise(w, n, MADV_DONTFORK);
	if (touch_pages(f, w, n)) {
		munmap(w, n);
		errno = ENOSPC;
		return TAPE_EIO;
	}
	f->window = w;
	f->window_at = at;
	f->piece = piece;
	f->window_bytes = n;
	/* a program of many threads needs its descriptors for itself */
	if (f->thread)
		tape_file_close(&f->file);
	return 0;
}

/* The chunk is all zeros but for its tallies. */
void tape_output_begin(struct tape_flow *f)
{
	struct tape_chunk c = {
	    .magic = TAPE_CHUNK_MAGIC,
	    .version = TAPE_FORMAT_VERSION,
	    .rank = (uint32_t)f->rank,
	    .thread = (uint32_t)f->thread,
	    .sequence = f->sequence,
	    .start = f->last,
	    .requests = tape_requests_known(f),
	    .tallies = f->tallies,
	};

	tape_clock_anchor(&c.anchor_tick, &c.anchor_ns, &c.slack);
	tape_chunk_put(f->chunk, &c);
	f->p = f->chunk + TAPE_CHUNK_HEADER;
	/* blocks begin to look at what is recorded (blocks.h) */
	f->limit = tape_process.blocks || tape_process.config.max_rate
			   ? f->p
			   : tape_chunk_limit(f);
	tape_rate_chunk(f);
	f->records = 0;
	f->chunk_events = f->events;
	__atomic_add_fetch(&tape_process.chunks, 1, __ATOMIC_RELAXED);
}

int tape_output_open(struct tape_flow *f)
{
	char path[sizeof tape_process.dir + 64];
	int rc;

	tape_output_path(f, path, sizeof path);
	if (tape_sink_has_files() &&
	    (tape_shared_is_used()
		 ? tape_shared_open(&f->file)
		 : tape_file_create(&f->file, tape_process.dir, path, O_RDWR)))
		return TAPE_EIO;
	rc = tape_sink_has_files() ? map_window(f, 0, next_window(f))
				   : map_memory(f);
	if (rc) {
		int e = errno;

		tape_file_close(&f->file);
		errno = e;
		return rc;
	}
	f->chunk = f->window;
	tape_output_begin(f);
	return 0;
}

void tape_output_seal(struct tape_flow *f)
{
	unsigned char *records = f->chunk + TAPE_CHUNK_HEADER;
	uint32_t used = (uint32_t)(f->p - records);

	tape_put64(f->chunk + 32,
		   tape_chunk_checksum(records, used, f->sequence));
	tape_put32(f->chunk + 24, f->records);
	/* a reader takes a chunk with a length for a sealed one */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	tape_put32(f->chunk + 20, used);
}

/* The window after the one that is used up; the old one stays mapped. */
static enum tape_end advance_window(struct tape_flow *f)
{
	int e = errno, rc, why;

	tape_counters_pause(f);
	rc = map_window(f, f->window_at + f->window_bytes, next_window(f));
	why = errno;
	tape_counters_resume(f);
	errno = e;
	if (!rc)
		return TAPE_END_NONE;
	return why == ENOSPC || why == EFBIG || why == EDQUOT ? TAPE_END_FULL
							      : TAPE_END_ERROR;
}

uint64_t tape_output_needs(const struct tape_flow *f)
{
	return f->gap || f->chunk + TAPE_CHUNK_BYTES ==
			     f->window + f->window_bytes
		   ? next_window(f)
		   : 0;
}

enum tape_end tape_output_chunk(struct tape_flow *f)
{
	uint64_t most = tape_process.config.max_bytes;
	unsigned char *next = f->chunk + TAPE_CHUNK_BYTES;
	unsigned char *old = f->window;
	uint64_t size = f->window_bytes;
	int moved = next == f->window + size, files = tape_sink_has_files();
	enum tape_end why;

	if (most && (__atomic_load_n(&tape_process.chunks, __ATOMIC_RELAXED) +
		     1) * TAPE_CHUNK_BYTES > most)
		return TAPE_END_LIMIT;
	if (moved && files && (why = advance_window(f)))
		return why;
	if (moved)
		next = f->window;
	if (!files)
		memset(next, 0, TAPE_CHUNK_BYTES);
	if (!files && moved)
		f->window_at += size;
	/* who consumes it may take a sealed chunk's bytes away */
	tape_tallies_move(f, f->chunk, next);
	tape_output_seal(f);
	tape_sink_chunk(f, 0);
	if (moved && files)
		munmap(old, size);
	f->chunk = next;
	f->sequence++;
	tape_output_begin(f);
	return TAPE_END_NONE;
}

/*
 * Another thread than the flow's may be closing it while the thread is about
 * to set a mark: the window becomes memory that nobody looks at.
 */
static void unmap_window(struct tape_flow *f, int ours)
{
	uint64_t n = f->window_bytes;

	if (ours) {
		munmap(f->window, n);
		f->p = NULL;
	} else {
		/* f->p still points into it */
		mmap(f->window, n, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		     -1, 0);
	}
	f->window = NULL;
	f->limit = NULL;
}

void tape_output_close(struct tape_flow *f, int ours)
{
	char path[sizeof tape_process.dir + 64];
	uint64_t used, place = f->piece.place;
	struct stat s;
	int fd;

	if (!f->window)
		return;
	/* what is beyond is not in the file: it stays open, and ends at the
	 * first zero */
	if (!f->broken) {
		tape_output_seal(f);
		tape_sink_chunk(f, 1);
	}
	used = f->window_at + (uint64_t)(f->p - f->window);
	unmap_window(f, ours);
	if (!tape_sink_has_files())
		return;
	fd = tape_file_descriptor(&f->file, tape_process.dir,
				  tape_output_path(f, path, sizeof path));
	if (fd >= 0 && tape_shared_is_used()) {
		used -= f->window_at;
		tape_shared_set(fd, &f->piece, used);
		punch_hole(fd, place + used, place + f->window_bytes);
	} else if (fd >= 0 && !fstat(fd, &s) && (uint64_t)s.st_size > used)
		(void)!TEMP_FAILURE_RETRY(ftruncate(fd, (off_t)used));
	tape_file_close(&f->file);
}
TAPE_ON_OWN_STACK_END
