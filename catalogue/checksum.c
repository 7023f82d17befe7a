/*
 * The checksum of a chunk that comes piece by piece: XXH3 64, as that of a
 * whole one in record.c. Tools need it, the traced program does not.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record.h"

struct tape_checksum {
	XXH3_state_t *state;
};

struct tape_checksum *tape_checksum_new(void)
{
	struct tape_checksum *c = malloc(sizeof *c);

	if (!c)
		return NULL;
	c->state = XXH3_createState();
	if (!c->state) {
		free(c);
		return NULL;
	}
	return c;
}

void tape_checksum_begin(struct tape_checksum *c, uint32_t sequence)
{
	XXH3_64bits_reset_withSeed(c->state, sequence);
}

void tape_checksum_add(struct tape_checksum *c, const unsigned char *bytes,
		       size_t n)
{
	XXH3_64bits_update(c->state, bytes, n);
}

uint64_t tape_checksum_end(const struct tape_checksum *c)
{
	return XXH3_64bits_digest(c->state);
}

void tape_checksum_free(struct tape_checksum *c)
{
	if (c)
		XXH3_freeState(c->state);
	free(c);
}
