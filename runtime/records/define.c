/*
 * The definitions of this rank: each is a line of rank.R, written before an
 * event uses it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "define.h"
#include "error.h"
#include "own_stack.h"
#include "shared_file.h"
#include "sink.h"

char *tape_escape(char *to, size_t n, const char *word)
{
	static const char hex[] = "0123456789abcdef";
	size_t i = 0;

	if (!word || !*word)
		word = "";
	for (; *word && i + 4 < n; word++) {
		unsigned char c = (unsigned char)*word;

		if (c > ' ' && c != '%' && c != 0x7f) {
			to[i++] = (char)c;
			continue;
		}
		to[i++] = '%';
		to[i++] = hex[c >> 4];
		to[i++] = hex[c & 15];
	}
	if (!i)
		to[i++] = '%';
	to[i] = '\0';
	return to;
}

TAPE_ON_OWN_STACK
const char *tape_define_path(char *path, size_t n)
{
	if (tape_shared_is_used())
		return tape_shared_path(path, n);
	snprintf(path, n, "%s/rank.%d", tape_process.dir, tape_process.rank);
	return path;
}

struct line {
	const char *format;
	va_list *ap;
	int rc;
};

static void copy_line(const char *text, uint64_t n)
{
	struct tape_process *p = &tape_process;

	if (!p->define_copy)
		return;
	if (n >= p->define_room) { /* all or nothing */
		p->define_copy = NULL;
		return;
	}
	memcpy(p->define_copy, text, n + 1);
	p->define_copy += n;
	p->define_room -= n;
}

/* Room of a piece; most ranks need one. */
enum { PIECE = TAPE_CONTAINER_ALIGNED };

/* In the piece that is open, or a new one; it counts when it is whole. */
static ssize_t write_shared(int fd, const char *text, size_t n)
{
	struct tape_process *p = &tape_process;
	uint64_t used = p->defines_bytes - p->defines_at;
	uint64_t room = n > PIECE ? n : PIECE;
	ssize_t done;

	errno = 0;
	if (used + n > p->defines_room) {
		errno =
		    tape_shared_take(fd, TAPE_CONTAINER_TEXT, p->defines_bytes,
				     room, 0, &p->defines_piece);
		if (errno)
			return -1;
		p->defines_at = p->defines_bytes;
		p->defines_room = room;
		used = 0;
	}
	done = TEMP_FAILURE_RETRY(
	    pwrite(fd, text, n, (off_t)(p->defines_piece.place + used)));
	if (done == (ssize_t)n)
		errno = tape_shared_set(fd, &p->defines_piece, used + n);
	return errno ? -1 : done;
}

/*
 * Threads define at once, and each line has its place. Signals are held back
 * meanwhile: nobody comes here twice.
 */
static void lock_lines(struct tape_hold *hold)
{
	static const struct timespec pause = { 0, 50000 };

	tape_hold(hold);
	/* whoever writes may be waiting for room in a stream */
	for (int i = 1; __atomic_exchange_n(&tape_process.defining, 1,
					    __ATOMIC_ACQUIRE); i++)
		if (i > 4096)
			nanosleep(&pause, NULL);
		else if (i % 128 == 0)
			sched_yield();
}

static void unlock_lines(struct tape_hold *hold)
{
	__atomic_store_n(&tape_process.defining, 0, __ATOMIC_RELEASE);
	tape_release(hold);
}

/* Into the file, where there is one. 0, or it is not there. */
static int put_define_line(const char *text, int n)
{
	char path[sizeof tape_process.dir + 64];
	ssize_t done;
	int fd;

	copy_line(text, (uint64_t)n);
	tape_sink_text(TAPE_FRAME_RANK, tape_process.defines_bytes, text,
		       (uint64_t)n);
	if (!tape_sink_has_files()) {
		tape_process.defines_bytes += (uint64_t)n;
		return 0;
	}
	fd = tape_file_descriptor(&tape_process.defines, tape_process.dir,
				  tape_define_path(path, sizeof path));
	if (fd < 0)
		done = -1;
	else if (tape_shared_is_used())
		done = write_shared(fd, text, (size_t)n);
	else
		done = TEMP_FAILURE_RETRY(write(fd, text, (size_t)n));
	if (done != n) {
		tape_process.define_error = done < 0 ? errno : ENOSPC;
		/* never half a line */
		if (fd >= 0 && !tape_shared_is_used())
			(void)!TEMP_FAILURE_RETRY(ftruncate(
				fd, (off_t)tape_process.defines_bytes));
	} else {
		tape_process.defines_bytes += (uint64_t)n;
	}
	return done == n ? 0 : TAPE_EIO;
}

static int write_line(const char *format, va_list ap)
{
	struct tape_hold hold;
	char text[8192];
	int n, rc;

	if ((tape_process.defines.fd < 0 && tape_sink_has_files()) ||
	    tape_is_copy())
		return TAPE_EIO;
	n = vsnprintf(text, sizeof text, format, ap);
	if (n < 0 || (size_t)n >= sizeof text)
		return TAPE_ERANGE;
	lock_lines(&hold);
	rc = put_define_line(text, n);
	unlock_lines(&hold);
	return rc;
}

static void define_line(void *line)
{
	struct line *l = line;

	l->rc = write_line(l->format, *l->ap);
}

TAPE_ON_OWN_STACK_END

int tape_define(const char *format, ...)
{
	struct line l = { .format = format };
	int e = errno;
	va_list ap;

	va_start(ap, format);
	l.ap = &ap;
	tape_run_on_own_stack(define_line, &l);
	va_end(ap);
	errno = e;
	return l.rc;
}

int tape_define_copy(char *text, uint64_t n)
{
	int lost = !tape_process.define_copy;

	tape_process.define_copy = text;
	tape_process.define_room = n;
	return lost;
}

TAPE_ON_OWN_STACK
int tape_define_open(const char *domain_index, char *error, size_t n)
{
	char path[sizeof tape_process.dir + 64], host[256] = "", word[1024];

	int rc = 0;

	tape_define_path(path, sizeof path);
	tape_process.defines_bytes = 0;
	tape_process.defines_at = tape_process.defines_room = 0;
	if (tape_shared_is_used())
		rc = tape_shared_open(&tape_process.defines);
	else if (tape_sink_has_files())
		rc = tape_file_create(&tape_process.defines, tape_process.dir,
				      path, O_WRONLY | O_APPEND);
	tape_process.define_error = errno;
	gethostname(host, sizeof host - 1);
	tape_escape(word, sizeof word, host);
	if (!rc)
		rc = tape_define("tape-rank 1\nrank %d\nhost %s\npid %ld\n"
				 "domain %s\n", tape_process.rank, word,
				 (long)getpid(), domain_index);
	if (rc)
		snprintf(error, n, "cannot write %.800s: %s", path,
			 strerror(tape_process.define_error));
	return rc;
}
TAPE_ON_OWN_STACK_END
