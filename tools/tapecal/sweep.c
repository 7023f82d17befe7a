/* See sweep.h. */
#include <math.h>
#include <string.h>

#include "sweep.h"

/* Batches of a size that never settles. */
enum { SWEEPS = 10 };

/* A reading of the clock is to be a small part of what is timed. */
enum { SMALL = 65536, TOGETHER = 16 };

static void add_size(struct sweep *s, int64_t bytes)
{
	if (s->n < SWEEP_SIZES && bytes <= MEASURE_MOST)
		s->bytes[s->n++] = bytes;
}

/* By rising size; what is both sides of the limit is there. */
static void choose_sizes(struct sweep *s)
{
	int64_t bytes = 0, next, power = 4, limit = s->limit_bytes;

	s->n = 0;
	for (; bytes <= MEASURE_MOST; bytes = next) {
		while (2 * power <= bytes)
			power *= 2;
		next = bytes < 4 ? bytes + 1 : bytes + power / 4;
		add_size(s, bytes);
		if (limit > bytes && limit < next)
			add_size(s, limit);
		if (limit >= bytes && limit + 1 < next)
			add_size(s, limit + 1);
	}
}

/*
 * So many empty messages there and back take longer than one of size k. What
 * two processes have to know the first one says.
 */
static int exchanges(const struct sweep *s, int k)
{
	double times = s->whole[k].median / fmax(s->whole[0].median, 1);

	return 1 + (int)fmin(times, 1000);
}

static void measure_size(const struct link *l, struct sweep *s, int k)
{
	int64_t bytes = s->bytes[k];
	int together = bytes < SMALL ? TOGETHER : 1;

	measure(l, MEASURE_BOUNCE, bytes, together, &s->whole[k]);
	measure(l, MEASURE_ISEND_CALL, bytes, 1, &s->isend[k]);
	measure(l, MEASURE_EXCHANGE, bytes, together, &s->exchange[k]);
	if (bytes > s->limit_bytes)
		return;
	measure(l, MEASURE_SEND_CALL, bytes, 1, &s->send[k]);
	measure(l, MEASURE_HAND_OVER, bytes, exchanges(s, k), &s->receive[k]);
}

void sweep_measure(const struct link *l, struct sweep *s)
{
	memset(s, 0, sizeof *s);
	s->limit_bytes = measure_limit(l);
	choose_sizes(s);
	for (int i = 0; i < SWEEPS * s->n; i++)
		measure_size(l, s, i % s->n);
}

static double median(const struct times *t)
{
	return t->n ? t->median : -1;
}

void sweep_sizes(const struct sweep *s, struct tape_smpi_size *size)
{
	for (int k = 0; k < s->n; k++)
		size[k] = (struct tape_smpi_size){
			.bytes = (double)s->bytes[k],
			.ns = s->whole[k].ns,
			.n = (size_t)s->whole[k].n,
			.send_ns = median(&s->send[k]),
			.receive_ns = median(&s->receive[k]),
			.isend_ns = median(&s->isend[k]),
			.exchange_ns = median(&s->exchange[k]) };
}
