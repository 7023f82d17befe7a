/*
 * The kernels of bench/segments.c: so many steps of work that keep different
 * parts of a processor busy. Where one stopped is where it goes on, in cold
 * memory too, so two stretches are alike and the compiler leaves nothing out.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { WIDE = 1 << 21, TABLE = 1 << 22 };

static double link_;
static uint64_t lane[4] = { 1, 2, 3, 4 }, coin = 88172645463325252u, sum;
static double *wide[3];
static uint32_t *table, place;
static size_t front;

/* Each step waits for the one before. */
static void chain(int n)
{
	double x = link_;

	for (int i = 0; i < n; i++)
		x = x * 0.999 + 0.001;
	link_ = x;
}

/* Four of them at a time. */
static void integer(int n)
{
	for (int i = 0; i < n; i += 4)
		for (int k = 0; k < 4; k++)
			lane[k] = (lane[k] ^ (lane[k] >> 7)) *
				  0x9e3779b97f4a7c15u;
}

/* Each step takes one of two ways, and which cannot be foreseen. */
static void branchy(int n)
{
	uint64_t x = coin, s = sum;

	for (int i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 64) {
			s += x;
			__asm__ volatile("" : "+r"(s));
		} else {
			s ^= x >> 3;
			__asm__ volatile("" : "+r"(s));
		}
	}
	coin = x;
	sum = s;
}

/* Three arrays larger than the caches. */
static void streaming(int n)
{
	if (front + (size_t)n > WIDE)
		front = 0;
	for (size_t i = front; i < front + (size_t)n; i++)
		wide[0][i] = wide[1][i] + 3 * wide[2][i];
	front += (size_t)n;
}

/* From one place of a table to the next, anywhere in it. */
static void memory(int n)
{
	for (int i = 0; i < n; i++)
		place = table[place];
}

static const struct kernel {
	const char *name;
	void (*steps)(int n);
} kernels[] = { { "chain", chain },
		{ "integer", integer },
		{ "branchy", branchy },
		{ "streaming", streaming },
		{ "memory", memory } };

/* Fills the arrays, by drand48. Returns 0, or -1: out of memory. */
static int kernels_begin(void)
{
	for (int k = 0; k < 3; k++) {
		wide[k] = malloc(WIDE * sizeof **wide);
		for (size_t i = 0; wide[k] && i < WIDE; i++)
			wide[k][i] = (double)(i % 7);
	}
	table = malloc(TABLE * sizeof *table);
	if (!table || !wide[0] || !wide[1] || !wide[2])
		return -1;
	/* a permutation of one cycle (Sattolo 1986) */
	for (uint32_t i = 0; i < TABLE; i++)
		table[i] = i;
	for (uint32_t i = TABLE - 1; i; i--) {
		uint32_t k = (uint32_t)(drand48() * i), t = table[i];

		table[i] = table[k];
		table[k] = t;
	}
	return 0;
}

/* Of all that was computed: it is used. */
static double kernels_end(void)
{
	return link_ + (double)(lane[0] + sum + place) + wide[0][9];
}

#endif
