/* Vector times of receives; see known_receives.h. */
#include <stdlib.h>
#include <string.h>

#include "known_receives.h"
#include "tool.h"

struct known_receives {
	uint32_t refs, n;
	union {
		struct entry {
			int64_t rank;
			uint64_t count;
		} of[KNOWN_RANKS];
		struct known_receives *next; /* of those not in use */
	};
};

enum { BLOCK = 256 };

struct block {
	struct block *older;
	struct known_receives of[BLOCK];
};

struct known_pool {
	struct block *youngest;
	size_t used; /* of the youngest */
	struct known_receives *spare;
};

struct known_pool *known_pool_new(void)
{
	return tape_must(calloc(1, sizeof(struct known_pool)));
}

void known_pool_free(struct known_pool *pool)
{
	struct block *b = pool ? pool->youngest : NULL, *older;

	for (; b; b = older) {
		older = b->older;
		free(b);
	}
	free(pool);
}

static struct known_receives *new_vector(struct known_pool *pool)
{
	struct known_receives *k = pool->spare;
	struct block *b = pool->youngest;

	if (k) {
		pool->spare = k->next;
	} else {
		if (!b || pool->used == BLOCK) {
			b = tape_must(malloc(sizeof *b));
			b->older = pool->youngest;
			pool->youngest = b;
			pool->used = 0;
		}
		k = &b->of[pool->used++];
	}
	k->refs = 1;
	k->n = 0;
	return k;
}

struct known_receives *known_receives_keep(struct known_receives *k)
{
	if (k)
		k->refs++;
	return k;
}

void known_receives_drop(struct known_pool *pool, struct known_receives *k)
{
	if (!k || --k->refs)
		return;
	k->next = pool->spare;
	pool->spare = k;
}

static struct entry *find_entry(const struct known_receives *k, int rank)
{
	for (uint32_t i = 0; k && i < k->n; i++)
		if (k->of[i].rank == rank)
			return (struct entry *)(uintptr_t)&k->of[i];
	return NULL;
}

uint64_t known_receives_count(const struct known_receives *k, int rank)
{
	const struct entry *e = find_entry(k, rank);

	return e ? e->count : 0;
}

/* A vector that nobody else has, with the same entries. */
static struct known_receives *own_vector(struct known_pool *pool,
					 struct known_receives *k)
{
	struct known_receives *own;

	if (k && k->refs == 1)
		return k;
	own = new_vector(pool);
	if (k) {
		own->n = k->n;
		memcpy(own->of, k->of, k->n * sizeof *k->of);
		known_receives_drop(pool, k);
	}
	return own;
}

struct known_receives *known_receives_set(struct known_pool *pool,
					  struct known_receives *k, int rank,
					  uint64_t count)
{
	const struct entry *e = find_entry(k, rank);

	if (e ? e->count >= count : k && k->n == KNOWN_RANKS)
		return k;
	k = own_vector(pool, k);
	if (e)
		find_entry(k, rank)->count = count;
	else
		k->of[k->n++] = (struct entry){rank, count};
	return k;
}

struct known_receives *
known_receives_merge(struct known_pool *pool, struct known_receives *k,
		     const struct known_receives *other)
{
	for (uint32_t i = 0; other && i < other->n; i++)
		k = known_receives_set(pool, k, (int)other->of[i].rank,
				       other->of[i].count);
	return k;
}

size_t known_receives_bytes(const struct known_receives *k)
{
	return k ? k->n * sizeof *k->of : 0;
}

size_t known_receives_pack(const struct known_receives *k, void *to)
{
	size_t bytes = known_receives_bytes(k);

	if (bytes)
		memcpy(to, k->of, bytes);
	return bytes;
}

struct known_receives *known_receives_unpack(struct known_pool *pool,
					     const void *from, size_t bytes)
{
	struct known_receives *k;

	if (!bytes || bytes > KNOWN_BYTES)
		return NULL;
	k = new_vector(pool);
	k->n = (uint32_t)(bytes / sizeof *k->of);
	memcpy(k->of, from, k->n * sizeof *k->of);
	return k;
}
