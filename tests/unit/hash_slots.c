/* Hash tables of slots against a list that is searched from its beginning.
 * Seed 9. */
#include <stdlib.h>

#include "hash_slots.h"
#include "tap.h"

enum { KEYS = 400, STEPS = 60000 };

struct item {
	uint32_t key;
	int value;
};

TAPE_SLOTS_TYPE(items, struct item)

static int is_used(const struct item *slot)
{
	return slot->key != 0;
}

static uint32_t get_key(const void *own, const struct item *slot)
{
	(void)own;
	return slot->key;
}

/* Many keys share few hashes, and the last slots, so that runs go round. */
static uint64_t hash_key(uint32_t key)
{
	return UINT64_MAX - key % 7;
}

static int is_equal(uint32_t a, uint32_t b)
{
	return a == b;
}

TAPE_SLOTS(items, struct item, const void *, uint32_t, is_used, get_key,
	   hash_key, is_equal)

/* All values of the table are those of the truth, by key; 0: not there. */
static size_t count_differences(const struct items *t, const int *truth)
{
	size_t wrong = 0, used = 0;

	for (uint32_t key = 1; key < KEYS; key++) {
		const struct item *at = items_find(NULL, t, key);

		used += truth[key] != 0;
		wrong += at->key != (truth[key] ? key : 0) ||
			 (truth[key] && at->value != truth[key]);
	}
	return wrong + (used != t->used);
}

int main(void)
{
	struct items t = {0};
	int truth[KEYS] = {0};
	size_t wrong = 0, most = 0;

	srand(9);
	for (int i = 1; i <= STEPS; i++) {
		/* fewer keys now and then, so that many are removed */
		int few = i / 5000 % 2;
		uint32_t key = 1 + (uint32_t)rand() % (KEYS - 1);
		struct item *at;

		wrong += items_reserve(NULL, &t, 4) != 0;
		at = items_find(NULL, &t, key);
		if (rand() % 4 < (few ? 3 : 1)) {
			if (at->key)
				items_remove(NULL, &t, at);
			truth[key] = 0;
		} else {
			t.used += !at->key;
			*at = (struct item){key, i};
			truth[key] = i;
		}
		most = t.used > most ? t.used : most;
		if (i % 100 == 0)
			wrong += count_differences(&t, truth);
	}
	ok(!wrong, "%d steps, up to %zu keys: %zu wrong", STEPS, most, wrong);
	ok(2 * (t.used - 1) <= t.mask && !(t.mask & (t.mask + 1)),
	   "%zu slots, a power of two", t.mask + 1);
	free(t.list);
	return done();
}
