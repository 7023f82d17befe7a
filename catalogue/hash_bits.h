/*
 * Bits of keys for hash tables, and pseudo-random numbers. The results are the
 * same on every machine: some are in files, and in what processes exchange.
 */
#ifndef TAPE_HASH_BITS_H
#define TAPE_HASH_BITS_H

#include <stddef.h>
#include <stdint.h>

/* 2^64 divided by the golden ratio, odd. */
#define TAPE_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/*
 * A different number for each x. Every bit of x changes higher bits, so take
 * the upper ones (Knuth, The Art of Computer Programming 3, 6.4,
 * multiplicative hashing).
 */
static inline uint64_t tape_spread_bits(uint64_t x)
{
	return x * TAPE_GOLDEN;
}

/* A different number for each x. Every bit of x changes all bits (Steele and
 * others 2014, splitmix64). */
static inline uint64_t tape_scramble_bits(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The next of 2^64 pseudo-random numbers; any *state may be the first one
 * (splitmix64). */
static inline uint64_t tape_next_random(uint64_t *state)
{
	return tape_scramble_bits(*state += TAPE_GOLDEN);
}

/* The hash of no bytes, and its factor; see tape_hash_bytes. */
#define TAPE_HASH_START UINT64_C(0xcbf29ce484222325)
#define TAPE_HASH_FACTOR UINT64_C(0x100000001b3)

/* The hash of the bytes after those of hash (Fowler, Noll, Vo: FNV-1a). */
static inline uint64_t tape_hash_bytes(uint64_t hash, const void *bytes,
				       size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * TAPE_HASH_FACTOR;
	return hash;
}

#endif
