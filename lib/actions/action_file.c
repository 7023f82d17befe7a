/* Plain and compressed files; see action_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef TAPE_HAVE_ZLIB
#include <zlib.h>
#endif

#include "error.h"
#include "action_file.h"

enum { RAW = 1 << 14 };

struct tape_action_file {
	char *path;
	off_t at; /* read so far */
	int begun;
#ifdef TAPE_HAVE_ZLIB
	int packed, ended; /* ended: after the end of a compressed stream */
	z_stream z;
	unsigned char *raw;
#endif
};

/* ---- reading ---- */

struct tape_action_file *tape_action_file_open(const char *path)
{
	struct tape_action_file *f = calloc(1, sizeof *f);

	if (f && !(f->path = strdup(path))) {
		free(f);
		f = NULL;
	}
	return f;
}

void tape_action_file_close(struct tape_action_file *f)
{
	if (!f)
		return;
#ifdef TAPE_HAVE_ZLIB
	if (f->packed)
		inflateEnd(&f->z);
	free(f->raw);
#endif
	free(f->path);
	free(f);
}

/* Rejects pipes and terminals, which could block the reader. */
static long read_raw(struct tape_action_file *f, void *to, size_t n,
		     const char **why)
{
	int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat s;
	ssize_t got;

	if (fd < 0) {
		*why = strerror(errno);
		return -1;
	}
	if (fstat(fd, &s) || !S_ISREG(s.st_mode)) {
		*why = "not a regular file";
		close(fd);
		return -1;
	}
	do
		got = pread(fd, to, n, f->at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		*why = strerror(errno);
	else
		f->at += got;
	close(fd);
	return got;
}

#ifdef TAPE_HAVE_ZLIB
static long inflate_bytes(struct tape_action_file *f, char *to, size_t n,
			  const char **why)
{
	long got;
	int rc;

	f->z.next_out = (unsigned char *)to;
	f->z.avail_out = (unsigned)n;
	while (f->z.avail_out == n) {
		if (!f->z.avail_in) {
			got = read_raw(f, f->raw, RAW, why);
			if (got < 0)
				return -1;
			if (!got && f->ended)
				return 0;
			if (!got) {
				*why = "the file ends too early";
				return -1;
			}
			f->z.next_in = f->raw;
			f->z.avail_in = (unsigned)got;
		}
		if (f->ended && inflateReset(&f->z) != Z_OK)
			break;
		f->ended = 0;
		rc = inflate(&f->z, Z_NO_FLUSH);
		f->ended = rc == Z_STREAM_END;
		if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
			break;
		if (rc == Z_BUF_ERROR && f->z.avail_in)
			break;
	}
	if (f->z.avail_out < n)
		return (long)(n - f->z.avail_out);
	*why = "the compressed data are damaged";
	return -1;
}
#endif

long tape_action_file_read(struct tape_action_file *f, char *to, size_t n,
			   const char **why)
{
	long got;

#ifdef TAPE_HAVE_ZLIB
	if (f->packed)
		return inflate_bytes(f, to, n, why);
#endif
	got = read_raw(f, to, n, why);
	if (f->begun || got < 2 || memcmp(to, "\x1f\x8b", 2)) {
		f->begun |= got > 0;
		return got;
	}
#ifdef TAPE_HAVE_ZLIB
	f->at = 0;
	f->raw = malloc(RAW);
	if (!f->raw || inflateInit2(&f->z, 15 + 16) != Z_OK) {
		*why = tape_error_text(TAPE_ENOMEM);
		return -1;
	}
	f->packed = 1;
	return inflate_bytes(f, to, n, why);
#else
	*why =
	    "the file is compressed, but this program was built without zlib";
	return -1;
#endif
}

/* ---- writing ---- */

struct tape_action_out {
	int fd;
#ifdef TAPE_HAVE_ZLIB
	int packed;
	z_stream z;
	unsigned char raw[RAW];
#endif
};

int tape_action_out_can_compress(void)
{
#ifdef TAPE_HAVE_ZLIB
	return 1;
#else
	return 0;
#endif
}

struct tape_action_out *tape_action_out_new(int fd, int compressed)
{
	struct tape_action_out *f;

	if (compressed && !tape_action_out_can_compress())
		return NULL;
	f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->fd = fd;
#ifdef TAPE_HAVE_ZLIB
	f->packed = compressed;
	if (compressed && deflateInit2(&f->z, 6, Z_DEFLATED, 15 + 16, 8,
				       Z_DEFAULT_STRATEGY) != Z_OK) {
		free(f);
		return NULL;
	}
#endif
	return f;
}

void tape_action_out_free(struct tape_action_out *f)
{
	if (!f)
		return;
#ifdef TAPE_HAVE_ZLIB
	if (f->packed)
		deflateEnd(&f->z);
#endif
	free(f);
}

static int write_file_bytes(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return TAPE_EIO;
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

int tape_action_out_write(struct tape_action_out *f, const char *bytes,
			  size_t n)
{
#ifdef TAPE_HAVE_ZLIB
	int rc = 0;

	if (f->packed) {
		f->z.next_in = (unsigned char *)(uintptr_t)bytes;
		f->z.avail_in = (unsigned)n;
		do {
			f->z.next_out = f->raw;
			f->z.avail_out = RAW;
			deflate(&f->z, n ? Z_NO_FLUSH : Z_FINISH);
			rc = write_file_bytes(f->fd, f->raw,
					      RAW - f->z.avail_out);
		} while (!rc && !f->z.avail_out);
		return rc;
	}
#endif
	return write_file_bytes(f->fd, bytes, n);
}
