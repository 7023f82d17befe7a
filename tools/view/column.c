/* Bytes that grow; see column.h. */
#include <stdlib.h>

#include "column.h"
#include "tool.h"

void view_column_reserve(struct view_column *s, size_t more)
{
	size_t room = s->room ? s->room : 64;

	while (room - s->n < more)
		room += room / 2;
	s->p = realloc(s->p, room);
	if (!s->p)
		tape_die(TAPE_FAILED, "out of memory");
	s->room = room;
}

void view_column_free(struct view_column *s)
{
	free(s->p);
	*s = (struct view_column){0};
}

void *view_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	return p;
}

void *view_grow(void *p, size_t *room, size_t size)
{
	*room = *room ? *room + *room / 2 : 64;
	p = realloc(p, *room * size);
	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	return p;
}
