/* Chunk headers and counts to and from bytes, checksums; see record.h. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record.h"

void tape_chunk_get(const unsigned char *p, struct tape_chunk *c)
{
	c->magic = tape_get32(p);
	c->version = tape_get32(p + 4);
	c->rank = tape_get32(p + 8);
	c->thread = tape_get32(p + 12);
	c->sequence = tape_get32(p + 16);
	c->used = tape_get32(p + 20);
	c->records = tape_get32(p + 24);
	c->slack = tape_get32(p + 28);
	c->checksum = tape_get64(p + 32);
	c->start = tape_get64(p + 40);
	c->anchor_tick = tape_get64(p + 48);
	c->anchor_ns = tape_get64(p + 56);
	c->poll_count = tape_get64(p + 64);
	c->poll_site = tape_get64(p + 72);
	c->poll_start = tape_get64(p + 80);
	c->poll_end = tape_get64(p + 88);
	c->poll_inside = tape_get64(p + 96);
	c->requests = tape_get64(p + 104);
	c->also_count = tape_get64(p + 112);
	c->also_site = tape_get32(p + 120);
	c->tallies = tape_get32(p + 124);
}

void tape_chunk_put(unsigned char *p, const struct tape_chunk *c)
{
	memset(p, 0, TAPE_CHUNK_HEADER);
	tape_put32(p + 4, c->version);
	tape_put32(p + 8, c->rank);
	tape_put32(p + 12, c->thread);
	tape_put32(p + 16, c->sequence);
	tape_put32(p + 20, c->used);
	tape_put32(p + 24, c->records);
	tape_put32(p + 28, c->slack);
	tape_put64(p + 32, c->checksum);
	tape_put64(p + 40, c->start);
	tape_put64(p + 48, c->anchor_tick);
	tape_put64(p + 56, c->anchor_ns);
	tape_put64(p + 64, c->poll_count);
	tape_put64(p + 72, c->poll_site);
	tape_put64(p + 80, c->poll_start);
	tape_put64(p + 88, c->poll_end);
	tape_put64(p + 96, c->poll_inside);
	tape_put64(p + 104, c->requests);
	tape_put64(p + 112, c->also_count);
	tape_put32(p + 120, c->also_site);
	tape_put32(p + 124, c->tallies);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	tape_put32(p, c->magic);
}

uint64_t tape_chunk_checksum(const unsigned char *records, size_t n,
			     uint32_t sequence)
{
	return XXH3_64bits_withSeed(records, n, sequence);
}

unsigned char *tape_put_counts(unsigned char *p, unsigned char *code,
			       const struct tape_count *counts, uint32_t first,
			       uint32_t n)
{
	uint32_t end = n - first < TAPE_COUNTS_RECORD
			       ? n
			       : first + TAPE_COUNTS_RECORD;
	uint64_t which = 0;

	for (uint32_t k = first; k < end; k++) {
		which |= (uint64_t)(counts[k].before != 0) << 2 * k;
		which |= (uint64_t)(counts[k].inside != 0) << (2 * k + 1);
	}
	if (!which)
		return p;
	*code = TAPE_CODE_COUNTS;
	p = tape_put_varint(p + 1, which);
	for (uint32_t k = first; k < end; k++) {
		if (counts[k].before)
			p = tape_put_varint(p, tape_zigzag64(counts[k].before));
		if (counts[k].inside)
			p = tape_put_varint(p, tape_zigzag64(counts[k].inside));
	}
	return p;
}

/* A sum that wraps only where a hostile file has made nonsense of it. */
static void add_wrapping(int64_t *sum, uint64_t v)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)tape_unzigzag64(v));
}

const unsigned char *tape_get_counts(const unsigned char *p,
				     const unsigned char *end,
				     struct tape_count *counts, uint32_t n,
				     int *unknown)
{
	uint64_t which, v;

	*unknown = 0;
	p = tape_get_varint(p, end, &which);
	if (p && n < 32 && which >> 2 * n) {
		*unknown = 1;
		return NULL;
	}
	for (uint32_t k = 0; p && which; k++, which >>= 2) {
		if (which & 1 && (p = tape_get_varint(p, end, &v)))
			add_wrapping(&counts[k].before, v);
		if (p && which & 2 && (p = tape_get_varint(p, end, &v)))
			add_wrapping(&counts[k].inside, v);
	}
	return p;
}
