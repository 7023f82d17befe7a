/*
 * Timing a small loop body, for the programs that tell what a call costs: by
 * blocks of rounds, to a fraction of a nanosecond, and round by round, which
 * tells the tail: the calls that met a flush, a page fault, an interrupt.
 *
 *	struct counts c = { 100, 1000, 50000, NULL };
 *	if (!counts_open(&c)) ...
 *	ns_per_tick = measure_tick();
 *	struct figures f = time_blocks(round, &c);	nanoseconds a round
 *	free(c.ticks);
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STALL_NS 1e5

static double ns_per_tick;
static volatile uint64_t sink[2];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t tick(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return now_ns();
#endif
}

static void two_ticks(void)
{
	sink[0] = tick();
	sink[1] = tick();
}

struct counts {
	long blocks, rounds, singles;
	uint64_t *ticks; /* room for the larger of blocks and singles */
};

/* The options -b blocks, -k rounds and -s singles: 1 if opt is one of them. */
static int counts_option(struct counts *c, int opt, const char *value)
{
	long *to = opt == 'b' ? &c->blocks : opt == 'k' ? &c->rounds :
		   opt == 's' ? &c->singles : NULL;

	if (to)
		*to = atol(value);
	return to != NULL;
}

/* 0 if the numbers are invalid or there is no memory */
static int counts_open(struct counts *c)
{
	long most = c->blocks > c->singles ? c->blocks : c->singles;

	if (c->blocks < 1 || c->rounds < 1 || c->singles < 0 ||
	    !(c->ticks = malloc((size_t)most * sizeof *c->ticks)))
		return 0;
	/* its pages are there before anything is timed */
	memset(c->ticks, 1, (size_t)most * sizeof *c->ticks);
	return 1;
}

struct figures {
	double min, median, p99, max;
	long stalls;
};

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts n durations, each of rounds rounds. */
static struct figures figures(uint64_t *ticks, long n, long rounds)
{
	double scale = ns_per_tick / (double)rounds;
	struct figures f = { 0 };

	if (!n)
		return f;
	qsort(ticks, (size_t)n, sizeof *ticks, by_size);
	f.min = (double)ticks[0] * scale;
	f.median = (double)ticks[n / 2] * scale;
	f.p99 = (double)ticks[n - 1 - n / 100] * scale;
	f.max = (double)ticks[n - 1] * scale;
	while (f.stalls < n &&
	       (double)ticks[n - 1 - f.stalls] * scale > STALL_NS)
		f.stalls++;
	return f;
}

static struct figures time_blocks(void (*round)(void), const struct counts *c)
{
	for (long k = 0; k < c->rounds; k++)
		round();
	for (long b = 0; b < c->blocks; b++) {
		uint64_t start = tick();

		for (long k = 0; k < c->rounds; k++)
			round();
		c->ticks[b] = tick() - start;
	}
	return figures(c->ticks, c->blocks, c->rounds);
}

static struct figures time_singles(void (*round)(void), const struct counts *c)
{
	for (long k = 0; k < c->singles; k++) {
		uint64_t start = tick();

		round();
		c->ticks[k] = tick() - start;
	}
	return figures(c->ticks, c->singles, 1);
}

/* Ticks against the kernel's clock, for 20 ms: good to a few parts in 10^6. */
static double measure_tick(void)
{
	uint64_t ns = now_ns(), t = tick(), end;

	do
		end = now_ns();
	while (end - ns < 20000000);
	return (double)(end - ns) / (double)(tick() - t);
}
