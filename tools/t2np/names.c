/* Keys and their dense numbers; see names.h. */
#include <stdlib.h>
#include <string.h>

#include "hash_slots.h"
#include "hash_bits.h"
#include "tool.h"
#include "names.h"

struct name {
	char *key;
	size_t len;
	int32_t number;
};

TAPE_SLOTS_TYPE(name_slots, struct name)

struct names {
	struct name_slots all;
};

/* Bytes that are a key. */
struct bytes {
	const void *at;
	size_t n;
};

/* Slots at first. */
enum { LEAST = 64 };

struct names *names_new(void)
{
	return tape_must(calloc(1, sizeof(struct names)));
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (size_t i = 0; n->all.list && i <= n->all.mask; i++)
		free(n->all.list[i].key);
	free(n->all.list);
	free(n);
}

/* Keys are short and not hostile. */
static uint64_t hash_key(struct bytes key)
{
	uint64_t h = tape_hash_bytes(TAPE_HASH_START, key.at, key.n);

	return h ^ h >> 32;
}

static int is_used(const struct name *one)
{
	return one->key != NULL;
}

static struct bytes get_key(const void *own, const struct name *one)
{
	(void)own;
	return (struct bytes){one->key, one->len};
}

static int is_equal_key(struct bytes a, struct bytes b)
{
	return a.n == b.n && !memcmp(a.at, b.at, a.n);
}

TAPE_SLOTS(name_slots, struct name, const void *, struct bytes, is_used,
	   get_key, hash_key, is_equal_key)

int32_t names_number(struct names *n, const void *key, size_t len, int *is_new)
{
	struct name *at;

	if (name_slots_reserve(NULL, &n->all, LEAST))
		tape_die_no_memory();
	at = name_slots_find(NULL, &n->all, (struct bytes){key, len});
	*is_new = !at->key;
	if (at->key)
		return at->number;
	at->key = tape_must(malloc(len + 1));
	memcpy(at->key, key, len);
	at->len = len;
	at->number = (int32_t)n->all.used++;
	return at->number;
}
