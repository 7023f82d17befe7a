/* Lines and words of a trace's text files; see trace.h. */
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "number_text.h"
#include "error.h"
#include "in_container.h"

/* More than any definitions file of a sane run. */
#define TEXT_MAX ((size_t)1 << 32)

int tape_open_file(int dir, const char *name, uint64_t *size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
					   O_NOCTTY | O_NOFOLLOW);
	struct stat st;
	int why;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st)) {
		if (S_ISREG(st.st_mode)) {
			if (size)
				*size = (uint64_t)st.st_size;
			return fd;
		}
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	}
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

const char *tape_file_error_text(int error)
{
	return error == ELOOP ? "a symbolic link, which is not followed"
			      : strerror(error);
}

int tape_text_open_from(struct tape_trace *t, const char *name, int optional,
			size_t from, int lines, struct tape_text *x)
{
	struct tape_part_file f;
	uint64_t size;
	int rc = 0;
	ssize_t got;

	memset(x, 0, sizeof *x);
	x->before = from;
	x->line = lines;
	snprintf(x->path, sizeof x->path, "%.4000s/%.100s", t->path, name);
	if (tape_part_open(t, name, &f)) {
		if (optional && errno == ENOENT)
			return 1;
		rc = tape_trace_fail(t, TAPE_EIO, "%s: %s", x->path,
				     tape_file_error_text(errno));
		goto out;
	}
	size = f.size;
	if (size > TEXT_MAX) {
		rc = tape_trace_fail(t, TAPE_EFORMAT,
				     "%s: too large", x->path);
		goto out;
	}
	size = size > from ? size - from : 0;
	x->bytes = malloc(size + 1);
	if (!x->bytes) {
		rc = tape_trace_fail(t, TAPE_ENOMEM, "%s: %s", x->path,
				     tape_error_text(TAPE_ENOMEM));
		goto out;
	}
	got = tape_part_read(&f, x->bytes, size, from);
	x->n = got > 0 ? (size_t)got : 0;
	x->bytes[x->n] = '\0';
out:
	tape_part_close(&f);
	return rc;
}

int tape_text_open(struct tape_trace *t, const char *name, int optional,
		   struct tape_text *x)
{
	return tape_text_open_from(t, name, optional, 0, 0, x);
}

void tape_text_close(struct tape_text *x)
{
	free(x->bytes);
	x->bytes = NULL;
}

int tape_text_line(struct tape_text *x, char **line)
{
	char *start = x->bytes + x->at, *end;

	if (!x->bytes || x->at >= x->n)
		return 0;
	end = memchr(start, '\n', x->n - x->at);
	if (!end)
		return 0;
	*end = '\0';
	x->at = (size_t)(end - x->bytes) + 1;
	x->line++;
	*line = start;
	return 1;
}

char *tape_text_word(char **s)
{
	char *word = *s, *end;

	if (!word || !*word)
		return NULL;
	end = strchr(word, ' ');
	if (end)
		*end++ = '\0';
	*s = end;
	return *word ? word : NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *tape_text_unescape(char *word)
{
	char *from = word, *to = word;

	for (; *from; from++) {
		if (*from == '%' && hex_digit(from[1]) >= 0 &&
		    hex_digit(from[2]) >= 0) {
			*to = (char)(hex_digit(from[1]) * 16 +
				     hex_digit(from[2]));
			from += 2;
			/* a NUL would cut the name */
			to += *to != '\0';
		} else if (*from == '%' && !from[1]) {
			break;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return word;
}

int tape_text_u64(const char *word, int base, uint64_t *value)
{
	if (!word || hex_digit(*word) < 0)
		return -1;
	return tape_parse_unsigned(word, base, UINT64_MAX, value, NULL) ? -1
									: 0;
}

int tape_text_i64(const char *word, int64_t *value)
{
	if (!word || (hex_digit(*word) < 0 && *word != '-'))
		return -1;
	return tape_parse_whole(word, INT64_MIN, INT64_MAX, value, NULL) ? -1
									 : 0;
}

int tape_text_double(const char *word, double *value)
{
	if (!word || !strchr("0123456789-.", *word) || !*word)
		return -1;
	return tape_parse_real(word, -DBL_MAX, DBL_MAX, value, NULL) ? -1 : 0;
}
