/*
 * Reads words of a line and checks the ranges of numbers; see action_words.h.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "action_words.h"

/*
 * Bytes of SimGrid's types, by number. Without a type, items are bytes, or
 * doubles after "init 1".
 */
static const unsigned char type_bytes[] = {8, 4, 1, 2, 8, 4, 1, 8};

/* Longer words are no numbers. */
enum { WORD = 64 };

int tape_line_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

void tape_line_skip_blanks(struct tape_line *l)
{
	while (tape_line_is_blank(*l->at))
		l->at++;
}

int tape_line_has_word(struct tape_line *l)
{
	tape_line_skip_blanks(l);
	return l->at < l->end;
}

size_t tape_line_word_bytes(const struct tape_line *l)
{
	const char *p = l->at;

	while (p < l->end && !tape_line_is_blank(*p))
		p++;
	return (size_t)(p - l->at);
}

int tape_line_fail_word(struct tape_line *l, const char *what)
{
	int n = (int)l->name_bytes;

	if (!tape_line_has_word(l))
		return tape_line_fail(l->r, "%.*s: %s is missing",
				      n < WORD ? n : WORD, l->name, what);
	n = (int)(tape_line_word_bytes(l) < WORD ? tape_line_word_bytes(l)
						 : WORD);
	return tape_line_fail(l->r, "\"%.*s\" is no %s", n, l->at, what);
}

int tape_line_read_real(struct tape_line *l, double *v, const char *what)
{
	char text[WORD];
	size_t n;

	tape_line_skip_blanks(l);
	n = tape_line_word_bytes(l);
	if (!n || n >= WORD || !strchr("0123456789.+", *l->at))
		return tape_line_fail_word(l, what);
	memcpy(text, l->at, n);
	text[n] = '\0';
	if (strlen(text) != n || tape_parse_real(text, 0, DBL_MAX, v, NULL))
		return tape_line_fail_word(l, what);
	l->at += n;
	return 0;
}

int tape_line_read_whole(struct tape_line *l, uint64_t *v, uint64_t most,
			 const char *what)
{
	const char *p;
	uint64_t n = 0;
	double d;

	tape_line_skip_blanks(l);
	p = l->at;
	while (*p >= '0' && *p <= '9' && p - l->at < 18)
		n = 10 * n + (uint64_t)(*p++ - '0');
	if (p == l->at || !(tape_line_is_blank(*p) || p == l->end)) {
		const char *word = l->at;

		if (tape_line_read_real(l, &d, what))
			return TAPE_EFORMAT;
		if (d != floor(d) || d > 0x1p62) {
			l->at = word;
			return tape_line_fail_word(l, what);
		}
		p = l->at;
		n = (uint64_t)d;
	}
	if (n > most)
		return tape_line_fail_word(l, what);
	*v = n;
	l->at = p;
	return 0;
}

int tape_line_read_whole_or_none(struct tape_line *l, int32_t *v, uint64_t most,
				 const char *what)
{
	uint64_t n = 0;
	int rc;

	tape_line_skip_blanks(l);
	if (l->at[0] == '-' && l->at[1] == '1' &&
	    (l->at + 2 == l->end || tape_line_is_blank(l->at[2]))) {
		l->at += 2;
		*v = -1;
		return 0;
	}
	rc = tape_line_read_whole(l, &n, most, what);
	*v = (int32_t)n;
	return rc;
}

uint64_t tape_line_last_rank(const struct tape_line *l)
{
	return l->r->of->s.ranks - 1;
}

int tape_line_read_rank(struct tape_line *l, int32_t *rank)
{
	uint64_t n = 0;
	int rc = tape_line_read_whole(l, &n, tape_line_last_rank(l),
				      "rank of these files");

	*rank = (int32_t)n;
	return rc;
}

int tape_line_read_tag(struct tape_line *l, int32_t *tag)
{
	uint64_t n = 0;
	int rc = tape_line_read_whole(l, &n, INT32_MAX, "tag");

	*tag = (int32_t)n;
	return rc;
}

int tape_line_read_size(struct tape_line *l, uint64_t *n)
{
	return tape_line_read_whole(l, n, 1ull << TAPE_LINE_BYTES_BITS, "size");
}

/* The type is the next word, if there is one. */
int tape_line_apply_type(struct tape_line *l, uint64_t *n)
{
	uint64_t each = l->r->bytes_of_type, type = 0;
	int rc;

	if (tape_line_has_word(l)) {
		rc = tape_line_read_whole(l, &type, sizeof type_bytes - 1,
					  "type");
		if (rc)
			return rc;
		each = type_bytes[type];
	}
	if (*n > (1ull << TAPE_LINE_BYTES_BITS) / each)
		return tape_line_fail(l->r, "more bytes than there can be");
	*n *= each;
	return 0;
}

struct tape_action *tape_line_add_action(struct tape_line *l,
					 enum tape_action_kind kind)
{
	struct tape_action_slot *s = tape_action_queue_add(&l->r->q);

	if (!s)
		return NULL;
	s->a.kind = kind;
	return &s->a;
}

struct tape_action_slot *tape_line_newest_slot(const struct tape_line *l)
{
	return tape_action_queue_at(&l->r->q, l->r->q.last);
}

size_t tape_line_count_words(const struct tape_line *l)
{
	struct tape_line rest = *l;
	size_t n = 0;

	for (; tape_line_has_word(&rest); n++)
		rest.at += tape_line_word_bytes(&rest);
	return n;
}

int tape_line_read_operations(struct tape_line *l, double *v)
{
	*v = 0;
	return tape_line_read_real(l, v, "amount");
}

int tape_line_add_compute(struct tape_line *l, double v)
{
	struct tape_action *a =
	    v > 0 ? tape_line_add_action(l, TAPE_ACTION_COMPUTE) : NULL;

	if (a)
		a->amount = v;
	return a || !(v > 0) ? 0 : TAPE_ENOMEM;
}
