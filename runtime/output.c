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

static int unmap(struct tape_flow *f)
{
	int rc = 0;

	if (f->window)
		rc = munmap(f->window, tape_process.config.window_bytes);
	f->window = NULL;
	return rc;
}

/* Maps the window that starts at that offset of the file. */
static int map(struct tape_flow *f, uint64_t at)
{
	uint64_t n = tape_process.config.window_bytes;
	int rc = posix_fallocate(f->fd, (off_t)at, (off_t)n);
	unsigned char *w;

	if (rc) {
		/* what the emulation of a missing fallocate left behind */
		(void)!ftruncate(f->fd, (off_t)at);
		errno = rc;
		return TAPE_EIO;
	}
	w = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, (off_t)at);
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
	f->limit = f->chunk + TAPE_CHUNK_BYTES - 2 * TAPE_RECORD_MAX;
	f->records = 0;
}

int tape_output_open(struct tape_flow *f)
{
	char path[sizeof tape_process.dir + 64];
	int rc;

	snprintf(path, sizeof path, "%s/flow.%d.%d", tape_process.dir, f->rank,
		 f->thread);
	f->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (f->fd < 0)
		return TAPE_EIO;
	rc = map(f, 0);
	if (rc) {
		int e = errno;

		close(f->fd);
		f->fd = -1;
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

	if (most && f->window_at + (uint64_t)(next - f->window) +
				    TAPE_CHUNK_BYTES > most)
		return TAPE_END_LIMIT;
	if (moved) {
		int e = errno;
		int rc = map(f, at);
		int why = errno;

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

void tape_output_close(struct tape_flow *f)
{
	uint64_t used;

	if (f->fd < 0)
		return;
	tape_output_seal(f);
	used = f->window_at + (uint64_t)(f->p - f->window);
	unmap(f);
	(void)!ftruncate(f->fd, (off_t)used);
	close(f->fd);
	f->fd = -1;
	f->p = f->limit = NULL;
}
