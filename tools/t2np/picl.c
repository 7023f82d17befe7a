/* Writes records as text, without printf, which is slow. See picl.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "picl.h"

enum {
	BUFFER = 1 << 18,
	NUMBER = 24,           /* space for any number and a blank */
	LINE = 12 * NUMBER     /* space for a line of numbers */
};

struct picl {
	FILE *f;
	int64_t origin;
	char *p;               /* next byte of the buffer */
	char buffer[BUFFER];
};

struct picl *picl_new(FILE *f, int64_t origin_ns)
{
	struct picl *p = tape_must(malloc(sizeof *p));

	p->f = f;
	p->origin = origin_ns;
	p->p = p->buffer;
	return p;
}

static void flush_buffer(struct picl *p)
{
	size_t n = (size_t)(p->p - p->buffer);

	p->p = p->buffer;
	if (n && fwrite(p->buffer, 1, n, p->f) != n)
		tape_die(TAPE_FAILED, "cannot write the result: %s",
			 strerror(errno));
}

void picl_free(struct picl *p)
{
	if (!p)
		return;
	flush_buffer(p);
	free(p);
}

/* Makes space for n bytes in the buffer. */
static void reserve_bytes(struct picl *p, size_t n)
{
	if ((size_t)(p->buffer + BUFFER - p->p) < n)
		flush_buffer(p);
}

/* ---- numbers ---- */

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233"
	"34353637383940414243444546474849505152535455565758596061626364656667"
	"6869707172737475767778798081828384858687888990919293949596979899";

/* Writes the decimal digits of v, which has at least three. */
static char *put_many_digits(char *to, uint64_t v)
{
	uint64_t limit = 1000;
	int n = 3;
	char *end;

	while (n < 20 && v >= limit) {
		n++;
		limit *= 10;
	}
	end = to + n;
	for (to = end; n > 1; n -= 2) {
		to -= 2;
		memcpy(to, &pairs[2 * (v % 100)], 2);
		v /= 100;
	}
	if (n)
		*--to = (char)('0' + v);
	return end;
}

/*
 * Writes the decimal digits of v and returns the byte after them. Most numbers
 * in a trace are small: ranks, tags, counts.
 */
static inline char *put_digits(char *to, uint64_t v)
{
	if (v < 10) {
		*to = (char)('0' + v);
		return to + 1;
	}
	if (v < 100) {
		memcpy(to, &pairs[2 * v], 2);
		return to + 2;
	}
	return put_many_digits(to, v);
}

/* Writes a blank and a number. */
static inline char *put_number_field(char *to, int64_t v)
{
	*to++ = ' ';
	if (v < 0)
		*to++ = '-';
	return put_digits(to, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Writes a blank and ns as seconds with nine decimals. */
static char *put_seconds_field(char *to, uint64_t ns)
{
	uint32_t part = (uint32_t)(ns % 1000000000);

	*to++ = ' ';
	to = put_digits(to, ns / 1000000000);
	*to++ = '.';
	for (int i = 8; i > 0; i -= 2) {
		memcpy(to + i - 1, &pairs[2 * (part % 100)], 2);
		part /= 100;
	}
	*to = (char)('0' + part);
	return to + 9;
}

/* ---- records ---- */

/* Writes the fields of a record up to nfields. */
static void put_record_head(struct picl *p, const struct picl_record *r,
			    int64_t nfields)
{
	char *to = p->p;

	*to++ = '-';
	/* all rectypes are negative */
	to = put_digits(to, (uint64_t)-r->rectype);
	to = put_number_field(to, r->evttype);
	to = put_seconds_field(to, (uint64_t)r->time_ns - (uint64_t)p->origin);
	to = put_number_field(to, r->node);
	to = put_number_field(to, r->pid);
	p->p = put_number_field(to, nfields);
}

/* Returns 2 if all data fit a C int; else 3, a long. */
static int data_descriptor(const struct picl_record *r)
{
	for (int i = 0; i < r->n; i++)
		if (r->data[i] != (int32_t)r->data[i])
			return 3;
	return 2;
}

void picl_put(struct picl *p, const struct picl_record *r)
{
	char *to;

	reserve_bytes(p, LINE);
	put_record_head(p, r, r->n);
	to = p->p;
	if (r->n)
		to = put_number_field(to, data_descriptor(r));
	for (int i = 0; i < r->n; i++)
		to = put_number_field(to, r->data[i]);
	*to++ = '\n';
	p->p = to;
}

void picl_label(struct picl *p, int64_t time_ns, int32_t task,
		const char *label)
{
	struct picl_record r = { .time_ns = time_ns, .node = PICL_ALL,
				 .rectype = PICL_LABEL, .evttype = task };

	reserve_bytes(p, LINE);
	put_record_head(p, &r, 1);
	p->p = put_number_field(p->p, 1);
	*p->p++ = ' ';
	if (!*label)
		*p->p++ = '_';
	for (; *label; label++) {
		reserve_bytes(p, 2);
		*p->p++ = *label > ' ' && *label < 0x7f && *label != '"'
				  ? *label
				  : '_';
	}
	*p->p++ = '\n';
}

void picl_subset(struct picl *p, int64_t time_ns, int32_t id,
		 const int *members, int n)
{
	struct picl_record r = { .time_ns = time_ns, .node = PICL_ALL,
				 .rectype = PICL_PROCESS_SUBSET,
				 .evttype = PICL_SUBSET };
	int known = 0;

	for (int i = 0; i < n; i++)
		known += members[i] >= 0;
	reserve_bytes(p, LINE);
	put_record_head(p, &r, 1 + (int64_t)known);
	p->p = put_number_field(p->p, 2);
	p->p = put_number_field(p->p, id);
	for (int i = 0; i < n; i++) {
		reserve_bytes(p, NUMBER + 1);
		if (members[i] >= 0)
			p->p = put_number_field(p->p, members[i]);
	}
	*p->p++ = '\n';
}
