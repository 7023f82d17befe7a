/* Bytes that grow; see column.h. */
#include <stdlib.h>

#include "column.h"
#include "growing_array.h"
#include "tool.h"

void view_column_reserve(struct view_column *s, size_t more)
{
	s->p = tape_must(tape_grow_array(s->p, &s->room, s->n + more, 1));
}

void view_column_free(struct view_column *s)
{
	free(s->p);
	*s = (struct view_column){0};
}

void *view_alloc(size_t n, size_t size)
{
	return tape_must(calloc(n ? n : 1, size));
}
