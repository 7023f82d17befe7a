/* Open addressing with linear probing; see table.h. */
#include <stdlib.h>
#include <string.h>

#include "table.h"

static size_t stride(const struct tape_table *t)
{
	return sizeof(uint64_t) + t->bytes;
}

static uint64_t *slot(const struct tape_table *t, size_t i)
{
	return (uint64_t *)(void *)(t->slots + i * stride(t));
}

static size_t home(const struct tape_table *t, uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9e3779b97f4a7c15u;
	return (size_t)(key >> 24) & t->mask;
}

/* Where key is, or the free slot where it would be. */
static size_t place(const struct tape_table *t, uint64_t key)
{
	size_t i = home(t, key);

	while (*slot(t, i) && *slot(t, i) != key)
		i = (i + 1) & t->mask;
	return i;
}

void *tape_table_find(const struct tape_table *t, uint64_t key)
{
	size_t i;

	if (!t->slots)
		return NULL;
	i = place(t, key);
	return *slot(t, i) ? slot(t, i) + 1 : NULL;
}

static int grow(struct tape_table *t)
{
	struct tape_table old = *t;
	size_t room = t->slots ? 2 * (t->mask + 1) : 64;

	t->slots = calloc(room, stride(t));
	if (!t->slots) {
		*t = old;
		return -1;
	}
	t->mask = room - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (*slot(&old, i))
			memcpy(slot(t, place(t, *slot(&old, i))),
			       slot(&old, i), stride(t));
	free(old.slots);
	return 0;
}

void *tape_table_get(struct tape_table *t, uint64_t key)
{
	size_t i;

	if ((!t->slots || t->used > t->mask / 4 * 3) && grow(t))
		return NULL;
	i = place(t, key);
	if (!*slot(t, i)) {
		*slot(t, i) = key;
		memset(slot(t, i) + 1, 0, t->bytes);
		t->used++;
	}
	return slot(t, i) + 1;
}

void tape_table_drop(struct tape_table *t, uint64_t key)
{
	size_t i, hole;

	if (!t->slots || !*slot(t, i = place(t, key)))
		return;
	t->used--;
	hole = i;
	/* what would not be found behind the hole moves into it */
	for (;;) {
		i = (i + 1) & t->mask;
		if (!*slot(t, i))
			break;
		if (((i - home(t, *slot(t, i))) & t->mask) <
		    ((i - hole) & t->mask))
			continue;
		memcpy(slot(t, hole), slot(t, i), stride(t));
		hole = i;
	}
	*slot(t, hole) = 0;
}

void *tape_table_each(const struct tape_table *t, size_t *at, uint64_t *key)
{
	while (t->slots && *at <= t->mask) {
		size_t i = (*at)++;

		if (*slot(t, i)) {
			*key = *slot(t, i);
			return slot(t, i) + 1;
		}
	}
	return NULL;
}

void tape_table_free(struct tape_table *t)
{
	free(t->slots);
	t->slots = NULL;
	t->used = t->mask = 0;
}
