/*
 * How many receives of some ranks have ended before an event, by the order of
 * messages: a vector time (Mattern 1989) of the ranks that receive from any
 * source. A message that was sent knowing of a receive cannot have been taken
 * by that receive.
 *
 * Vectors are kept by reference; NULL knows nothing. They are of the first
 * KNOWN_RANKS such ranks that an event hears of; of others nothing is known,
 * which is safe.
 */
#ifndef CORRECT_KNOWN_RECEIVES_H
#define CORRECT_KNOWN_RECEIVES_H

#include <stddef.h>
#include <stdint.h>

enum { KNOWN_RANKS = 8 };

struct known_receives;

/* All vectors; they are freed with them. */
struct known_pool;

/* Dies when out of memory. The caller frees it. */
struct known_pool *known_pool_new(void);
void known_pool_free(struct known_pool *pool);

struct known_receives *known_receives_keep(struct known_receives *k);
void known_receives_drop(struct known_pool *pool, struct known_receives *k);

/* Receives of that rank that are known to have ended. */
uint64_t known_receives_count(const struct known_receives *k, int rank);

/*
 * From now on so many of that rank are known, if not more; or all that other
 * knows, too. k is dropped, the result is the caller's.
 */
struct known_receives *known_receives_set(struct known_pool *pool,
					  struct known_receives *k, int rank,
					  uint64_t count);
struct known_receives *
known_receives_merge(struct known_pool *pool, struct known_receives *k,
		     const struct known_receives *other);

/*
 * For another process: at most KNOWN_BYTES at to; returns how many, as
 * known_receives_bytes does. And from there: the caller's.
 */
enum { KNOWN_BYTES = KNOWN_RANKS * 16 };
size_t known_receives_bytes(const struct known_receives *k);
size_t known_receives_pack(const struct known_receives *k, void *to);
struct known_receives *known_receives_unpack(struct known_pool *pool,
					     const void *from, size_t bytes);

#endif
