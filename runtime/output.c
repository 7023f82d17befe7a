/* The file of a flow; see output.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "output.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static const char *path_of(const struct tape_flow *f, char *path, size_t n)
{
	snprintf(path, n, "%s/flow.%d.%d", tape_process.dir, f->rank,
		 f->thread);
	return path;
}

/* Room on the disk for n bytes at that offset. Returns 0 or an errno. */
static int allocate(struct tape_flow *f, uint64_t at, uint64_t n, int *fd)
{
	char path[sizeof tape_process.dir + 64];
	struct tape_hold hold;
	int rc;

	*fd = tape_file_descriptor(&f->file, path_of(f, path, sizeof path));
	if (*fd < 0)
		return errno;
	tape_hold(&hold);
	rc = posix_fallocate(*fd, (off_t)at, (off_t)n);
	if (rc) /* what the emulation of a missing fallocate left behind */
		(void)!ftruncate(*fd, (off_t)at);
	tape_release(&hold);
	return rc;
}

/* Maps the window that starts at that offset of the file. */
static int map(struct tape_flow *f, uint64_t at)
{
	uint64_t n = tape_process.config.window_bytes;
	unsigned char *w;
	int fd, rc = allocate(f, at, n, &fd);

	if (rc) {
		errno = rc;
		return TAPE_EIO;
	}
	w = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	if (w == MAP_FAILED)
		return TAPE_EIO;
	/* a forked child must not write into its parent's trace */
	madvise(w, n, MADV_DONTFORK);
	if (madvise(w, n, MADV_POPULATE_WRITE))
		for (uint64_t i = 0; i < n; i += 4096)
			*(volatile unsigned char *)(w + i) = 0;
	f->window = w;
	f->window_at = at;
	return 0;
}

/* Opens the chunk at f->chunk, which is all zeros. */
static void open_chunk(struct tape_flow *f)
{
	struct tape_chunk c = {
		.magic = TAPE_CHUNK_MAGIC,
		.version = TAPE_FORMAT_VERSION,
		.rank = (uint32_t)f->rank,
		.thread = (uint32_t)f->thread,
		.sequence = f->sequence,
		.start = f->last,
		.requests = f->requests,
	};

	tape_clock_anchor(&c.anchor_tick, &c.anchor_ns, &c.slack);
	tape_chunk_put(f->chunk, &c);
	f->p = f->chunk + TAPE_CHUNK_HEADER;
	f->limit = tape_chunk_limit(f);
	f->records = 0;
	__atomic_add_fetch(&tape_process.chunks, 1, __ATOMIC_RELAXED);
}

int tape_output_open(struct tape_flow *f)
{
	char path[sizeof tape_process.dir + 64];
	int rc;

	path_of(f, path, sizeof path);
	if (tape_file_create(&f->file, path, O_RDWR))
		return TAPE_EIO;
	rc = map(f, 0);
	if (rc) {
		int e = errno;

		tape_file_close(&f->file);
		errno = e;
		return rc;
	}
	f->chunk = f->window;
	open_chunk(f);
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

enum tape_end tape_output_chunk(struct tape_flow *f)
{
	uint64_t window = tape_process.config.window_bytes;
	uint64_t most = tape_process.config.max_bytes;
	unsigned char *next = f->chunk + TAPE_CHUNK_BYTES;
	int moved = next == f->window + window;
	uint64_t at = f->window_at + window;
	unsigned char *old = f->window;

	if (most && (__atomic_load_n(&tape_process.chunks, __ATOMIC_RELAXED) +
		     1) * TAPE_CHUNK_BYTES > most)
		return TAPE_END_LIMIT;
	if (moved) {
		int e = errno;
		int rc, why;

		tape_counters_pause(f);
		rc = map(f, at);
		why = errno;
		tape_counters_resume(f);
		errno = e;
		if (rc)
			return why == ENOSPC || why == EFBIG || why == EDQUOT
				       ? TAPE_END_FULL
				       : TAPE_END_ERROR;
	}
	tape_output_seal(f);
	if (moved) {
		munmap(old, window);
		next = f->window;
	}
	f->chunk = next;
	f->sequence++;
	open_chunk(f);
	return TAPE_END_NONE;
}

/*
 * Another thread than the flow's may be closing it while the thread is about
 * to set a mark: the window becomes memory that nobody looks at.
 */
static void unmap(struct tape_flow *f, int ours)
{
	uint64_t n = tape_process.config.window_bytes;

	if (ours) {
		munmap(f->window, n);
		f->window = NULL;
		f->p = NULL;
	} else {
		mmap(f->window, n, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		     -1, 0);
	}
	f->limit = NULL;
}

void tape_output_close(struct tape_flow *f, int ours)
{
	char path[sizeof tape_process.dir + 64];
	uint64_t used;
	int fd;

	if (f->file.fd < 0)
		return;
	tape_output_seal(f);
	used = f->window_at + (uint64_t)(f->p - f->window);
	unmap(f, ours);
	fd = tape_file_descriptor(&f->file, path_of(f, path, sizeof path));
	if (fd >= 0)
		(void)!ftruncate(fd, (off_t)used);
	tape_file_close(&f->file);
}
