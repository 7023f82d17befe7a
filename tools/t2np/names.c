/* A hash table from keys to dense numbers; see names.h. */
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "tool.h"
#include "names.h"

struct name {
	char *key;
	size_t len;
	int32_t number;
};

struct names {
	struct name *table; /* key NULL: free */
	size_t mask;
	int32_t used;
};

struct names *names_new(void)
{
	struct names *n = tape_must(calloc(1, sizeof *n));

	n->mask = 63;
	n->table = tape_must(calloc(n->mask + 1, sizeof *n->table));
	return n;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i <= n->mask; i++)
		free(n->table[i].key);
	free(n->table);
	free(n);
}

/* Keys are short and not hostile. */
static uint64_t hash_key(const void *key, size_t len)
{
	uint64_t h = tape_hash_bytes(TAPE_HASH_START, key, len);

	return h ^ h >> 32;
}

static struct name *find_name(struct names *n, const void *key, size_t len)
{
	size_t i = hash_key(key, len) & n->mask;

	while (n->table[i].key && (n->table[i].len != len ||
				   memcmp(n->table[i].key, key, len)))
		i = (i + 1) & n->mask;
	return &n->table[i];
}

static void grow_names(struct names *n)
{
	struct name *old = n->table;
	size_t room = n->mask + 1;

	n->table = tape_must(calloc(2 * room, sizeof *n->table));
	n->mask = 2 * room - 1;
	for (size_t i = 0; i < room; i++)
		if (old[i].key)
			*find_name(n, old[i].key, old[i].len) = old[i];
	free(old);
}

int32_t names_number(struct names *n, const void *key, size_t len, int *is_new)
{
	struct name *at = find_name(n, key, len);

	*is_new = !at->key;
	if (at->key)
		return at->number;
	if (2 * (size_t)n->used > n->mask) {
		grow_names(n);
		at = find_name(n, key, len);
	}
	at->key = tape_must(malloc(len + 1));
	memcpy(at->key, key, len);
	at->len = len;
	at->number = n->used++;
	return at->number;
}
