/*
 * The order file that this rank writes; see order_write.h. As a flow file it is
 * mapped, so that what is written survives the end of the process at any
 * instruction. A window that is full is replaced by the next one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "message.h"
#include "order_write.h"
#include "own_stack.h"
#include "core.h"
#include "error.h"
#include "record.h"
#include "ticks.h"

TAPE_ON_OWN_STACK

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { WINDOW_BYTES = 65536 };

static struct tape_file file = {.fd = -1};
static unsigned char *window;
static size_t window_bytes, used; /* used: of the window */
static uint64_t window_at;	  /* offset in the file */
static int is_open;

/* Failures of a call that no decision has yet. */
static unsigned failed_call;
static uint64_t n_failures;

static const char *format_path(char *path, size_t n)
{
	snprintf(path, n, "%s/order.%d", tape_process.dir, tape_process.rank);
	return path;
}

/* Maps n bytes from at on, a multiple of a page. Returns 0 or an errno. */
static int map_window(uint64_t at, size_t n)
{
	char path[sizeof tape_process.dir + 64];
	int fd = tape_file_descriptor(&file, tape_process.dir,
				      format_path(path, sizeof path));
	struct tape_hold hold;
	unsigned char *w;
	int rc;

	if (fd < 0)
		return errno;
	tape_hold(&hold);
	do
		rc = posix_fallocate(fd, (off_t)at, (off_t)n);
	while (rc == EINTR);
	tape_release(&hold);
	if (rc)
		return rc;
	w = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	if (w == MAP_FAILED)
		return errno;
	/* a forked child must not write into its parent's file */
	madvise(w, n, MADV_DONTFORK);
	if (TEMP_FAILURE_RETRY(madvise(w, n, MADV_POPULATE_WRITE)) &&
	    errno == EFAULT) {
		munmap(w, n);
		return ENOSPC;
	}
	if (window)
		munmap(window, window_bytes);
	window = w;
	window_bytes = n;
	window_at = at;
	return 0;
}

int tape_order_create(void)
{
	char path[sizeof tape_process.dir + 64];
	int rc = tape_file_create(&file, tape_process.dir,
				  format_path(path, sizeof path), O_RDWR);

	if (rc)
		return rc;
	rc = map_window(0, WINDOW_BYTES);
	if (rc) {
		errno = rc;
		return TAPE_EIO;
	}
	tape_order_write_header(window, tape_process.rank, tape_process.size);
	used = TAPE_ORDER_HEADER;
	failed_call = 0;
	n_failures = 0;
	is_open = 1;
	return 0;
}

/* The next window, with room for need bytes; the argument is a size_t. */
static void move_window(void *need)
{
	size_t page = tape_page_bytes();
	uint64_t end = window_at + used, at = end / page * page;
	size_t n = (size_t)(end - at) + *(size_t *)need;
	int rc;

	n = n < WINDOW_BYTES ? WINDOW_BYTES : (n + page - 1) / page * page;
	rc = map_window(at, n);
	used = (size_t)(end - at);
	if (!rc)
		return;
	used = (size_t)(end - window_at);
	is_open = 0;
	tape_say("rank %d: its order is recorded only in part: %s",
		 tape_process.rank, strerror(rc));
}

static void append_decision(const struct tape_order_decision *d,
			    const int *indices, int count)
{
	size_t need = TAPE_ORDER_DECISION + (size_t)count * TAPE_ORDER_INDEX;
	unsigned char first[TAPE_ORDER_DECISION], *p, *q;
	size_t n = (size_t)(tape_order_write(first, d) - first);
	int e = errno;

	if (used + need > window_bytes)
		tape_run_on_own_stack(move_window, &need);
	errno = e;
	if (!is_open)
		return;
	p = window + used;
	memcpy(p + 1, first + 1, n - 1);
	q = p + n;
	for (int i = 0; i < count; i++)
		q = tape_put_varint(q, (uint64_t)indices[i]);
	/* its first byte makes the decision visible */
	__atomic_store_n(p, *first, __ATOMIC_RELEASE);
	used += (size_t)(q - p);
}

static void append_failures(void)
{
	struct tape_order_decision d = {.kind = TAPE_DECISION_FAILED,
					.call = failed_call,
					.number = n_failures};

	if (n_failures)
		append_decision(&d, NULL, 0);
	n_failures = 0;
}

void tape_order_append(const struct tape_order_decision *d, const int *indices,
		       int count)
{
	if (!is_open)
		return;
	append_failures();
	append_decision(d, indices, count);
}

void tape_order_append_failure(unsigned call)
{
	if (!is_open)
		return;
	if (call != failed_call)
		append_failures();
	failed_call = call;
	n_failures++;
}

void tape_order_close(uint64_t n_posts)
{
	struct tape_order_decision d = {.kind = TAPE_DECISION_FINISHED,
					.number = n_posts};
	char path[sizeof tape_process.dir + 64];
	uint64_t end;
	int fd;

	tape_order_append(&d, NULL, 0);
	is_open = 0;
	if (!window)
		return;
	end = window_at + used;
	munmap(window, window_bytes);
	window = NULL;
	fd = tape_file_descriptor(&file, tape_process.dir,
				  format_path(path, sizeof path));
	if (fd >= 0)
		(void)!TEMP_FAILURE_RETRY(ftruncate(fd, (off_t)end));
	tape_file_close(&file);
}
TAPE_ON_OWN_STACK_END
