/*
 * A hash table of 64-bit keys, not 0, to fixed records: what is in flight, by
 * the number of an event or of a lock. The owner frees it by tape_table_free.
 *
 *	struct tape_table t = { .bytes = sizeof(struct mine) };
 *	struct mine *m = tape_table_get(&t, key);
 *	...
 *	tape_table_drop(&t, key);
 */
#ifndef TAPE_TABLE_H
#define TAPE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct tape_table {
	size_t bytes; /* of a record, a multiple of 8; set by the owner */
	/* table.c's own */
	char *slots;
	size_t mask, used;
};

/* The record of key, or NULL. Valid until the next get or drop. */
void *tape_table_find(const struct tape_table *t, uint64_t key);

/* As above; adds a zeroed record if there is none. NULL: out of memory. */
void *tape_table_get(struct tape_table *t, uint64_t key);

/* Removes the record of key, if there is one. */
void tape_table_drop(struct tape_table *t, uint64_t key);

/* Goes through all, from *at (0 at first), in no order: a record with its key,
 * or NULL. */
void *tape_table_each(const struct tape_table *t, size_t *at, uint64_t *key);

void tape_table_free(struct tape_table *t);

#endif
