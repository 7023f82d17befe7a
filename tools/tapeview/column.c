/* Bytes that grow; see column.h. */
#include <stdlib.h>

#include "column.h"
#include "tool.h"

void view_column_reserve(struct view_column *s, size_t more)
{
	size_t room = s->room ? s->room : 64;

	while (room - s->n < more)
		room += room / 2;
	s->p = tape_must(realloc(s->p, room));
	s->room = room;
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

void *view_grow(void *p, size_t *room, size_t size)
{
	*room = *room ? *room + *room / 2 : 64;
	p = tape_must(realloc(p, *room * size));
	return p;
}
