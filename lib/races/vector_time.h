/*
 * Vector times (Mattern 1989, "Virtual time and global states"): what a rank,
 * or a message, knows of calls of other ranks. Each rank whose calls matter has
 * a column and numbers these calls from 1 on; a vector has for each column how
 * many of them happened before.
 *
 * Vectors are shared by reference, and copied when one of several is changed.
 * NULL knows nothing.
 */
#ifndef RACES_VECTOR_TIME_H
#define RACES_VECTOR_TIME_H

#include <stddef.h>
#include <stdint.h>

struct vector_time;

/* One more owner of v, which is returned. */
struct vector_time *vector_time_keep(struct vector_time *v);

/* One owner less; the last one frees it. NULL is accepted. */
void vector_time_drop(struct vector_time *v);

/* Calls of the column that happened before. */
uint32_t vector_time_get(const struct vector_time *v, size_t column);

/*
 * *v knows of at least so many calls of the column from now on; of all that
 * other knows of. Die when out of memory.
 */
void vector_time_raise(struct vector_time **v, size_t column, uint32_t calls);
void vector_time_merge(struct vector_time **v, struct vector_time *other);

/*
 * Returns 1 if v knows of fewer calls than limit in each of its columns.
 * Columns from n on are without limit.
 */
int vector_time_is_below(const struct vector_time *v, const uint32_t *limit,
			 size_t n);

#endif
