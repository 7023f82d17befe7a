/* Vector times; see vector_time.h. */
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "vector_time.h"

struct vector_time {
	uint32_t refs, n;
	uint32_t calls[];
};

struct vector_time *vector_time_keep(struct vector_time *v)
{
	if (v)
		v->refs++;
	return v;
}

void vector_time_drop(struct vector_time *v)
{
	if (v && !--v->refs)
		free(v);
}

uint32_t vector_time_get(const struct vector_time *v, size_t column)
{
	return v && column < v->n ? v->calls[column] : 0;
}

/* Makes *v a vector of no other owner, with at least n columns. */
static void own_vector(struct vector_time **v, size_t n)
{
	struct vector_time *old = *v, *own;

	if (old && old->refs == 1 && old->n >= n)
		return;
	if (old && old->n > n)
		n = old->n;
	own = tape_must(calloc(1, sizeof *own + n * sizeof *own->calls));
	own->refs = 1;
	own->n = (uint32_t)n;
	if (old)
		memcpy(own->calls, old->calls, old->n * sizeof *old->calls);
	vector_time_drop(old);
	*v = own;
}

void vector_time_raise(struct vector_time **v, size_t column, uint32_t calls)
{
	if (vector_time_get(*v, column) >= calls)
		return;
	own_vector(v, column + 1);
	(*v)->calls[column] = calls;
}

void vector_time_merge(struct vector_time **v, struct vector_time *other)
{
	if (!other || other == *v)
		return;
	if (!*v) {
		*v = vector_time_keep(other);
		return;
	}
	for (uint32_t i = 0; i < other->n; i++)
		vector_time_raise(v, i, other->calls[i]);
}

int vector_time_is_below(const struct vector_time *v, const uint32_t *limit,
			 size_t n)
{
	for (size_t i = 0; v && i < v->n && i < n; i++)
		if (v->calls[i] >= limit[i])
			return 0;
	return 1;
}
