/* Lines in the order of their times; see ordered.h. */
#include <stdlib.h>
#include <unistd.h>

#include "heap.h"
#include "ordered.h"
#include "tool.h"

/* Size of a part; assumed mean size of a line; read buffer of a part. */
enum { PART_BYTES = 48 << 20, LINE_BYTES = 24, READ_BYTES = 256 << 10 };

struct line {
	int64_t ns;
	uint32_t at, bytes;
};

/* A sorted part in the file, and its read buffer. */
struct part {
	off_t next, end; /* in the file */
	char *buffer;
	size_t at, n;
	int64_t ns;      /* time of its first line that is not written */
	uint32_t bytes;
};

struct tape_ordered {
	char *text;
	size_t bytes, room;
	struct line *line, *other;
	size_t n, lines;
	int sorted;      /* the lines in memory are in order */
	FILE *file;
	struct part *part;
	size_t parts;
};

struct tape_ordered *tape_ordered_new_of(size_t bytes)
{
	struct tape_ordered *o = tape_must(calloc(1, sizeof *o));

	o->room = bytes;
	o->lines = bytes / LINE_BYTES + 1;
	o->text = tape_must(malloc(o->room + TAPE_ORDERED_LINE));
	o->line = tape_must(malloc(o->lines * sizeof *o->line));
	o->sorted = 1;
	return o;
}

struct tape_ordered *tape_ordered_new(void)
{
	return tape_ordered_new_of(PART_BYTES);
}

void tape_ordered_free(struct tape_ordered *o)
{
	if (!o)
		return;
	if (o->file)
		fclose(o->file);
	free(o->part);
	free(o->text);
	free(o->line);
	free(o->other);
	free(o);
}

/* ---- sorting ---- */

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

/* Sorts the lines by one digit of the time. */
static void sort_by_digit(struct tape_ordered *o, int64_t least, unsigned shift)
{
	size_t count[DIGITS] = { 0 }, sum = 0;
	struct line *swap;

	for (size_t i = 0; i < o->n; i++)
		count[(uint64_t)(o->line[i].ns - least) >> shift &
		      (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t n = count[i];

		count[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < o->n; i++)
		o->other[count[(uint64_t)(o->line[i].ns - least) >> shift &
			       (DIGITS - 1)]++] = o->line[i];
	swap = o->line;
	o->line = o->other;
	o->other = swap;
}

/* A radix sort, which keeps the order of equal times. */
static void sort_lines(struct tape_ordered *o)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	if (o->sorted)
		return;
	if (!o->other)
		o->other = tape_must(malloc(o->lines * sizeof *o->other));
	for (size_t i = 0; i < o->n; i++) {
		least = o->line[i].ns < least ? o->line[i].ns : least;
		most = o->line[i].ns > most ? o->line[i].ns : most;
	}
	for (unsigned shift = 0;
	     shift < 64 && (uint64_t)(most - least) >> shift; shift += DIGIT)
		sort_by_digit(o, least, shift);
	o->sorted = 1;
}

/* ---- parts ---- */

static void die_of_no_space(void)
{
	tape_die(TAPE_FAILED, "cannot write the temporary file that sorts the "
			      "output (TMPDIR selects its folder)");
}

static void make_temporary_file(struct tape_ordered *o)
{
	const char *folder = getenv("TMPDIR");
	char name[4200];
	int d, n;

	n = snprintf(name, sizeof name, "%s/tape-XXXXXX",
		     folder && *folder ? folder : "/tmp");
	d = n < (int)sizeof name ? mkstemp(name) : -1;
	if (d < 0)
		die_of_no_space();
	unlink(name);
	o->file = fdopen(d, "w+");
	/* larger blocks need fewer system calls */
	if (!o->file || setvbuf(o->file, NULL, _IOFBF, TAPE_ORDERED_BLOCK))
		die_of_no_space();
}

static void write_part_bytes(struct tape_ordered *o, const void *p, size_t n)
{
	if (fwrite_unlocked(p, 1, n, o->file) != n)
		die_of_no_space();
}

/* Writes the lines in memory as a sorted part of the file. */
static void write_part(struct tape_ordered *o)
{
	struct part *p;

	if (!o->file)
		make_temporary_file(o);
	sort_lines(o);
	o->part = tape_must(realloc(o->part, (o->parts + 1) * sizeof *o->part));
	p = &o->part[o->parts++];
	*p = (struct part){ .next = ftello(o->file) };
	for (size_t i = 0; i < o->n; i++) {
		write_part_bytes(o, &o->line[i].ns, sizeof o->line[i].ns);
		write_part_bytes(o, &o->line[i].bytes, sizeof o->line[i].bytes);
		write_part_bytes(o, o->text + o->line[i].at, o->line[i].bytes);
	}
	p->end = ftello(o->file);
	o->n = o->bytes = 0;
}

char *tape_ordered_reserve(struct tape_ordered *o)
{
	if (o->bytes >= o->room || o->n == o->lines)
		write_part(o);
	return o->text + o->bytes;
}

void tape_ordered_add(struct tape_ordered *o, int64_t ns, const char *end)
{
	size_t n = (size_t)(end - (o->text + o->bytes));

	o->sorted &= !o->n || o->line[o->n - 1].ns <= ns;
	o->line[o->n++] = (struct line){ ns, (uint32_t)o->bytes, (uint32_t)n };
	o->bytes += n;
}

/* ---- merging ---- */

enum { HEAD = sizeof(int64_t) + sizeof(uint32_t) };

/* Reads on until n bytes of the part are in memory. Returns 0 at its end. */
static int fetch_part_bytes(struct tape_ordered *o, struct part *p, size_t n)
{
	size_t left = p->n - p->at, more;

	if (left >= n)
		return 1;
	memmove(p->buffer, p->buffer + p->at, left);
	more = READ_BYTES - left;
	if ((off_t)more > p->end - p->next)
		more = (size_t)(p->end - p->next);
	p->at = 0;
	p->n = left + more;
	if (more && pread(fileno(o->file), p->buffer + left, more, p->next) !=
			    (ssize_t)more)
		die_of_no_space();
	p->next += (off_t)more;
	return p->n >= n;
}

static int read_next_line(struct tape_ordered *o, struct part *p)
{
	if (!fetch_part_bytes(o, p, HEAD))
		return 0;
	memcpy(&p->ns, p->buffer + p->at, sizeof p->ns);
	memcpy(&p->bytes, p->buffer + p->at + sizeof p->ns, sizeof p->bytes);
	p->at += HEAD;
	return fetch_part_bytes(o, p, p->bytes);
}

static int part_precedes(const struct part *part, const uint32_t *a,
			 const uint32_t *b)
{
	const struct part *x = &part[*a], *y = &part[*b];

	return x->ns < y->ns || (x->ns == y->ns && *a < *b);
}

TAPE_HEAP(parts, uint32_t, const struct part *, part_precedes)

static void merge_parts(struct tape_ordered *o, FILE *f)
{
	uint32_t *heap = tape_must(calloc(o->parts, sizeof *heap));
	size_t n = 0;

	if (fflush(o->file))
		die_of_no_space();
	for (size_t i = 0; i < o->parts; i++) {
		o->part[i].buffer = tape_must(malloc(READ_BYTES));
		if (read_next_line(o, &o->part[i]))
			heap[n++] = (uint32_t)i;
	}
	parts_order(o->part, heap, n);
	while (n) {
		struct part *p = &o->part[heap[0]];

		fwrite_unlocked(p->buffer + p->at, 1, p->bytes, f);
		p->at += p->bytes;
		if (read_next_line(o, p))
			parts_sink(o->part, heap, n, 0, heap[0]);
		else
			n = parts_pop(o->part, heap, n);
	}
	for (size_t i = 0; i < o->parts; i++)
		free(o->part[i].buffer);
	free(heap);
}

void tape_ordered_write(struct tape_ordered *o, FILE *f)
{
	if (o->parts) {
		write_part(o);
		merge_parts(o, f);
		return;
	}
	sort_lines(o);
	for (size_t i = 0; i < o->n; i++)
		fwrite_unlocked(o->text + o->line[i].at, 1, o->line[i].bytes,
				f);
}

/* ---- numbers ---- */

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

char *tape_text_unsigned(char *p, uint64_t v)
{
	char digits[20];
	size_t n = sizeof digits;

	for (; v >= 100; v /= 100)
		memcpy(digits + (n -= 2), pairs + 2 * (v % 100), 2);
	if (v >= 10)
		memcpy(digits + (n -= 2), pairs + 2 * v, 2);
	else
		digits[--n] = (char)('0' + v);
	memcpy(p, digits + n, sizeof digits - n);
	return p + sizeof digits - n;
}

char *tape_text_number(char *p, int64_t v)
{
	if (v < 0)
		*p++ = '-';
	return tape_text_unsigned(p, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* Writes the sign of v; *size is |v|. */
static char *put_sign(char *p, int64_t v, uint64_t *size)
{
	*size = v < 0 ? -(uint64_t)v : (uint64_t)v;
	if (v < 0)
		*p++ = '-';
	return p;
}

/* Writes a point and n digits; n is odd. */
static inline char *put_fraction(char *p, uint32_t v, int n)
{
	*p++ = '.';
	for (int i = n; i > 1; i -= 2, v /= 100)
		memcpy(p + i - 2, pairs + 2 * (v % 100), 2);
	*p = (char)('0' + v);
	return p + n;
}

char *tape_text_us(char *p, int64_t ns)
{
	uint64_t size;

	p = put_sign(p, ns, &size);
	p = tape_text_unsigned(p, size / 1000);
	return put_fraction(p, (uint32_t)(size % 1000), 3);
}

char *tape_text_s(char *p, int64_t ns)
{
	uint64_t size;

	p = put_sign(p, ns, &size);
	p = tape_text_unsigned(p, size / 1000000000);
	return put_fraction(p, (uint32_t)(size % 1000000000), 9);
}
