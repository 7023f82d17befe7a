/* A column of the page: numbers as varints (record.h), in a growing buffer. */
#ifndef TAPE_VIEW_COLUMN_H
#define TAPE_VIEW_COLUMN_H

#include <stddef.h>
#include <stdint.h>

#include "record.h"

struct view_column {
	unsigned char *p;
	size_t n, room;
};

/* Reserves space for so many more bytes; dies when out of memory. */
void view_column_reserve(struct view_column *s, size_t more);
void view_column_free(struct view_column *s);

/* Returns zeroed memory for n items; dies when out of memory. */
void *view_alloc(size_t n, size_t size);

static inline void view_put(struct view_column *s, uint64_t v)
{
	if (s->room - s->n < 10)
		view_column_reserve(s, 10);
	s->n = (size_t)(tape_put_varint(s->p + s->n, v) - s->p);
}

static inline void view_put_signed(struct view_column *s, int64_t v)
{
	view_put(s, tape_zigzag64(v));
}

/* Reads a column. Past its end it reads zeros. */
struct view_cursor {
	const unsigned char *p, *end;
};

static inline struct view_cursor view_cursor(const struct view_column *s)
{
	return (struct view_cursor){s->p, s->p ? s->p + s->n : NULL};
}

static inline uint64_t view_get(struct view_cursor *c)
{
	uint64_t v = 0;
	const unsigned char *next = tape_get_varint(c->p, c->end, &v);

	c->p = next ? next : c->end;
	return v;
}

static inline int64_t view_get_signed(struct view_cursor *c)
{
	return tape_unzigzag64(view_get(c));
}

#endif
