/* Open addressing with linear probing; see table.h. */
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "table.h"

static size_t slot_bytes(const struct tape_table *t)
{
	return sizeof(uint64_t) + t->bytes;
}

static uint64_t *slot_at(const struct tape_table *t, size_t i)
{
	return (uint64_t *)(void *)(t->slots + i * slot_bytes(t));
}

static size_t home_index(const struct tape_table *t, uint64_t key)
{
	return (size_t)(tape_spread_bits(key ^ key >> 32) >> 24) & t->mask;
}

/* Where key is, or the free slot where it would be. */
static size_t find_slot_index(const struct tape_table *t, uint64_t key)
{
	size_t i = home_index(t, key);

	while (*slot_at(t, i) && *slot_at(t, i) != key)
		i = (i + 1) & t->mask;
	return i;
}

void *tape_table_find(const struct tape_table *t, uint64_t key)
{
	size_t i;

	if (!t->slots)
		return NULL;
	i = find_slot_index(t, key);
	return *slot_at(t, i) ? slot_at(t, i) + 1 : NULL;
}

static int grow_slots(struct tape_table *t)
{
	struct tape_table old = *t;
	size_t room = t->slots ? 2 * (t->mask + 1) : 64;

	t->slots = calloc(room, slot_bytes(t));
	if (!t->slots) {
		*t = old;
		return -1;
	}
	t->mask = room - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (*slot_at(&old, i))
			memcpy(
			    slot_at(t, find_slot_index(t, *slot_at(&old, i))),
			    slot_at(&old, i), slot_bytes(t));
	free(old.slots);
	return 0;
}

void *tape_table_get(struct tape_table *t, uint64_t key)
{
	size_t i;

	if ((!t->slots || t->used > t->mask / 4 * 3) && grow_slots(t))
		return NULL;
	i = find_slot_index(t, key);
	if (!*slot_at(t, i)) {
		*slot_at(t, i) = key;
		memset(slot_at(t, i) + 1, 0, t->bytes);
		t->used++;
	}
	return slot_at(t, i) + 1;
}

void tape_table_drop(struct tape_table *t, uint64_t key)
{
	size_t i, hole;

	if (!t->slots || !*slot_at(t, i = find_slot_index(t, key)))
		return;
	t->used--;
	hole = i;
	/* what would not be found after the hole moves into it */
	for (;;) {
		i = (i + 1) & t->mask;
		if (!*slot_at(t, i))
			break;
		if (((i - home_index(t, *slot_at(t, i))) & t->mask) <
		    ((i - hole) & t->mask))
			continue;
		memcpy(slot_at(t, hole), slot_at(t, i), slot_bytes(t));
		hole = i;
	}
	*slot_at(t, hole) = 0;
}

void *tape_table_each(const struct tape_table *t, size_t *at, uint64_t *key)
{
	while (t->slots && *at <= t->mask) {
		size_t i = (*at)++;

		if (*slot_at(t, i)) {
			*key = *slot_at(t, i);
			return slot_at(t, i) + 1;
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
