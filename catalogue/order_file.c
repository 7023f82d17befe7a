/* Encodes and decodes order files; see order_file.h. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "order_file.h"
#include "record.h"

enum { HAS_CALL = 1, HAS_PARTNER = 2, HAS_NUMBER = 4, HAS_OTHER = 8 };

static const unsigned char operands[TAPE_DECISION_KINDS] = {
    [TAPE_DECISION_RECEIVED] = HAS_CALL | HAS_PARTNER,
    [TAPE_DECISION_FAILED] = HAS_CALL | HAS_NUMBER,
    [TAPE_DECISION_FOUND] = HAS_CALL | HAS_PARTNER,
    [TAPE_DECISION_TRUE] = HAS_CALL,
    [TAPE_DECISION_ANY] = HAS_CALL | HAS_NUMBER,
    [TAPE_DECISION_SOME] = HAS_CALL | HAS_NUMBER,
    [TAPE_DECISION_MATCHED] = HAS_NUMBER | HAS_PARTNER,
    [TAPE_DECISION_CANCELLED] = HAS_NUMBER,
    [TAPE_DECISION_FREED] = HAS_NUMBER,
    [TAPE_DECISION_FINISHED] = HAS_NUMBER,
    [TAPE_DECISION_ANY_NUMBERED] = HAS_CALL | HAS_NUMBER,
    [TAPE_DECISION_SOME_NUMBERED] = HAS_CALL | HAS_NUMBER,
    [TAPE_DECISION_FAILED_BOTH] = HAS_CALL | HAS_NUMBER | HAS_OTHER,
};

static const char heading[] = "tape-order ";

void tape_order_write_header(unsigned char *to, int rank, int ranks)
{
	memset(to, 0, TAPE_ORDER_HEADER);
	snprintf((char *)to, TAPE_ORDER_HEADER, "%s1\nrank %d\nranks %d\n",
		 heading, rank, ranks);
}

int tape_order_read_header(const unsigned char *p, size_t n, int *rank,
			   int *ranks)
{
	char text[TAPE_ORDER_HEADER + 1];
	int version;

	if (n < TAPE_ORDER_HEADER || memcmp(p, heading, sizeof heading - 1))
		return TAPE_EFORMAT;
	memcpy(text, p, TAPE_ORDER_HEADER);
	text[TAPE_ORDER_HEADER] = '\0';
	if (sscanf(text + sizeof heading - 1, "%9d", &version) != 1)
		return TAPE_EFORMAT;
	if (version != 1)
		return TAPE_EVERSION;
	if (sscanf(text + sizeof heading - 1, "1\nrank %9d\nranks %9d", rank,
		   ranks) != 2)
		return TAPE_EFORMAT;
	return 0;
}

unsigned char *tape_order_write(unsigned char *p,
				const struct tape_order_decision *d)
{
	unsigned has = operands[d->kind];

	*p++ = (unsigned char)d->kind;
	if (has & HAS_CALL)
		p = tape_put_varint(p, d->call);
	if (has & HAS_NUMBER)
		p = tape_put_varint(p, d->number);
	if (has & HAS_PARTNER) {
		p = tape_put_varint(p, tape_zigzag(d->source));
		p = tape_put_varint(p, tape_zigzag(d->tag));
	}
	if (has & HAS_OTHER) {
		p = tape_put_varint(p, d->other_call);
		p = tape_put_varint(p, d->other_number);
	}
	return p;
}

/* Reads a varint of at most most; NULL if there is none. */
static const unsigned char *read_limited(const unsigned char *p,
					 const unsigned char *end,
					 uint64_t most, uint64_t *v)
{
	p = tape_get_varint(p, end, v);
	return p && *v <= most ? p : NULL;
}

/* Checks the indices, or the numbers of requests, of some. */
static const unsigned char *skip_requests(const unsigned char *p,
					  const unsigned char *end,
					  const struct tape_order_decision *d)
{
	int is_numbered = d->kind == TAPE_DECISION_SOME_NUMBERED;
	uint64_t v;

	if (d->kind != TAPE_DECISION_SOME && !is_numbered)
		return p;
	for (uint64_t i = 1; p && i < d->number; i++)
		p = read_limited(p, end, is_numbered ? UINT64_MAX : INT_MAX,
				 &v);
	return p;
}

static const unsigned char *read_operands(const unsigned char *p,
					  const unsigned char *end,
					  struct tape_order_decision *d)
{
	unsigned has = operands[d->kind];
	uint64_t v;

	if (has & HAS_CALL) {
		if (!(p = read_limited(p, end, TAPE_CALL_COUNT - 1, &v)))
			return NULL;
		d->call = (unsigned)v;
	}
	if (has & HAS_NUMBER && !(p = tape_get_varint(p, end, &d->number)))
		return NULL;
	if (has & HAS_PARTNER) {
		if (!(p = read_limited(p, end, UINT32_MAX, &v)))
			return NULL;
		d->source = tape_unzigzag(v);
		if (!(p = read_limited(p, end, UINT32_MAX, &v)))
			return NULL;
		d->tag = tape_unzigzag(v);
	}
	if (has & HAS_OTHER) {
		if (!(p = read_limited(p, end, TAPE_CALL_COUNT - 1, &v)))
			return NULL;
		d->other_call = (unsigned)v;
		if (!(p = tape_get_varint(p, end, &d->other_number)))
			return NULL;
	}
	d->indices = p;
	if (d->kind == TAPE_DECISION_ANY && d->number > INT_MAX)
		return NULL;
	return skip_requests(p, end, d);
}

int tape_order_read(const unsigned char **p, const unsigned char *end,
		    struct tape_order_decision *d)
{
	const unsigned char *next;

	if (*p >= end || !**p)
		return 0;
	memset(d, 0, sizeof *d);
	if (**p >= TAPE_DECISION_KINDS)
		return TAPE_EFORMAT;
	d->kind = (enum tape_order_kind) * *p;
	next = read_operands(*p + 1, end, d);
	if (!next)
		return TAPE_EFORMAT;
	*p = next;
	return 1;
}
