/*
 * See sweep.h. Both processes make the same calls. If a call depends on
 * measured times, the first process, which has them, sends its decision to the
 * other.
 */
#include <math.h>
#include <string.h>

#include "now.h"
#include "sweep.h"

/*
 * Batches of a size: the minimum, since a machine may be slow for a second; the
 * maximum if it never settles; further ones for an odd size or a jump.
 */
enum { LEAST = 6, SWEEPS = 40, MORE = 10, PASSES = 3 };

/* Small messages are timed together: a reading of the clock takes time. */
enum { SMALL = 65536, TOGETHER = 8 };

/*
 * On an overloaded machine each message takes long. After long_s seconds there
 * is no further pass through the sizes; after max_s nothing is measured
 * again.
 */
static const double long_s = 40, max_s = 60;

static const enum measure measured_by[SWEEP_KINDS] = {
	[SWEEP_WHOLE] = MEASURE_BOUNCE,
	[SWEEP_ISEND] = MEASURE_ISEND_CALL,
	[SWEEP_EXCHANGE] = MEASURE_EXCHANGE,
	[SWEEP_SEND] = MEASURE_SEND_CALL,
	[SWEEP_RECEIVE] = MEASURE_HAND_OVER };

/* ---- sizes ---- */

static void add_size(struct sweep *s, int64_t bytes)
{
	if (s->n < SWEEP_SIZES && bytes <= MEASURE_MAX_BYTES)
		s->bytes[s->n++] = bytes;
}

/* Chooses sizes by rising bytes, with both sides of the eager limit. */
static void choose_sizes(struct sweep *s)
{
	int64_t bytes = 0, next, power = 4, limit = s->limit_bytes;

	s->n = 0;
	for (; bytes <= MEASURE_MAX_BYTES; bytes = next) {
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

/* A number of empty round trips that takes longer than a message of size k. */
static int exchanges_for(const struct sweep *s, int k)
{
	const struct times *whole = s->of[SWEEP_WHOLE];

	return 1 + (int)fmin(whole[k].median / fmax(whole[0].median, 1), 1000);
}

/* Measures another batch of size k, unless it is settled. */
static void measure_kind(const struct link *l, struct sweep *s,
			 enum sweep_kind kind, int k)
{
	struct times *t = &s->of[kind][k];
	int64_t bytes = s->bytes[k];
	int together = kind == SWEEP_RECEIVE ? exchanges_for(s, k)
		       : bytes < SMALL	     ? TOGETHER
					     : 1;

	if (bytes > s->limit_bytes && kind >= SWEEP_SEND)
		return;
	if (t->batches < LEAST)
		t->settled = 0;
	measure_batch(l, measured_by[kind], bytes, together, t);
}

static void measure_size(const struct link *l, struct sweep *s, int k)
{
	for (int kind = 0; kind < SWEEP_KINDS; kind++)
		measure_kind(l, s, (enum sweep_kind)kind, k);
}

/* Returns 1, in both processes, after limit_s seconds. */
static int is_past_limit(const struct link *l, const struct sweep *s,
			 double limit_s)
{
	int64_t late = now_ns() - s->start_ns > 1e9 * limit_s;

	measure_agree(l, &late);
	return late != 0;
}

/* ---- odd times ---- */

/* A time that exceeds those of both neighbours by this is measured again. */
static const double odd_share = 0.1, odd_ns = 25;

static int is_odd(const struct times *t, int k, int n)
{
	double beside = k + 1 < n && t[k + 1].n ?
				fmax(t[k - 1].median, t[k + 1].median) :
				INFINITY;

	return t[k].n && t[k - 1].n &&
	       t[k].median > (1 + odd_share) * beside + odd_ns;
}

static void measure_more(const struct link *l, struct sweep *s,
			 enum sweep_kind kind, int k)
{
	s->of[kind][k].settled = 0;
	for (int i = 0; i < MORE; i++)
		measure_kind(l, s, kind, k);
}

/* Measures sizes again that exceed their neighbours. */
static void measure_odd(const struct link *l, struct sweep *s)
{
	if (is_past_limit(l, s, max_s))
		return;
	for (int kind = 0; kind < SWEEP_KINDS; kind++)
		for (int k = 1; k < s->n; k++) {
			int64_t odd = is_odd(s->of[kind], k, s->n);

			odd = odd &&
			      now_ns() - s->start_ns < 1e9 * max_s;
			measure_agree(l, &odd);
			if (odd)
				measure_more(l, s, (enum sweep_kind)kind, k);
		}
}

/* ---- jumps ---- */

/* The least jump: a share of the time, and ns. */
static const double jump_share = 0.1, jump_ns = 30;

static int is_known_jump(const struct sweep *s, int k)
{
	int known = s->bytes[k] == s->limit_bytes;

	for (int j = 0; j < s->jumps; j++)
		known |= s->bytes[k + 1] == (int64_t)s->jump[j];
	return known;
}

/* The time of a byte between sizes k and k + 1, at least 0; 0 outside. */
static double byte_slope(const struct sweep *s, int k)
{
	const struct times *t = s->of[SWEEP_WHOLE];

	if (k < 0 || k + 1 >= s->n || is_known_jump(s, k))
		return 0;
	return fmax(t[k + 1].median - t[k].median, 0) /
	       (double)(s->bytes[k + 1] - s->bytes[k]);
}

/* The times of a byte on both sides of sizes k and k + 1. */
struct usual {
	double least, most;
};

static struct usual neighbour_slopes(const struct sweep *s, int k)
{
	double before = byte_slope(s, k - 1), after = byte_slope(s, k + 1);

	return (struct usual){ fmin(before, after), fmax(before, after) };
}

/* By how much the time from size k to k + 1 leaves the range by u, ns. */
static double excess_ns(const struct sweep *s, int k, struct usual u)
{
	const struct times *t = &s->of[SWEEP_WHOLE][k];
	double bytes = (double)(s->bytes[k + 1] - s->bytes[k]);
	double ns = t[1].median - t[0].median;

	return fmax(ns - u.most * bytes, u.least * bytes - ns);
}

static int is_jump(const struct sweep *s, int k)
{
	const struct times *t = &s->of[SWEEP_WHOLE][k];
	double ns = excess_ns(s, k, neighbour_slopes(s, k));

	return s->bytes[k] >= 8 && !is_known_jump(s, k) && ns > jump_ns &&
	       ns > jump_share * fmin(t[0].median, t[1].median);
}

/* Inserts a size after k in all arrays. */
static void insert_size(struct sweep *s, int k, int64_t bytes)
{
	size_t behind = (size_t)(s->n - k - 1);

	for (int kind = 0; kind < SWEEP_KINDS; kind++) {
		struct times *t = &s->of[kind][k + 1];

		memmove(t + 1, t, behind * sizeof *t);
		memset(t, 0, sizeof *t);
	}
	memmove(&s->bytes[k + 2], &s->bytes[k + 1], behind * sizeof *s->bytes);
	s->bytes[k + 1] = bytes;
	s->n++;
}

/*
 * Locates the jump between sizes k and k + 1 by bisection, to the byte or
 * nearly: it is in the half whose ends differ most.
 */
static void locate_jump(const struct link *l, struct sweep *s, int64_t k)
{
	struct usual u = neighbour_slopes(s, (int)k);

	for (;;) {
		int64_t a = s->bytes[k], b = s->bytes[k + 1];
		int at = (int)k;

		if (b - a <= 1 + a / 512 || s->n == SWEEP_SIZES)
			break;
		insert_size(s, at, a + (b - a) / 2);
		for (int i = 0; i < MORE; i++)
			measure_size(l, s, at + 1);
		k += excess_ns(s, at, u) < excess_ns(s, at + 1, u);
		measure_agree(l, &k);
	}
	s->jump[s->jumps++] = (double)s->bytes[k + 1];
}

/* The next size before a confirmed jump, from k on; or n. */
static int64_t next_jump(const struct link *l, struct sweep *s, int64_t k)
{
	for (;; k++) {
		int64_t jump = 0;

		while (k + 1 < s->n && !is_jump(s, (int)k))
			k++;
		if (k + 1 >= s->n)
			k = s->n;
		measure_agree(l, &k);
		if (k == s->n)
			return k;
		measure_more(l, s, SWEEP_WHOLE, (int)k);
		measure_more(l, s, SWEEP_WHOLE, (int)k + 1);
		jump = is_jump(s, (int)k);
		measure_agree(l, &jump);
		if (jump)
			return k;
	}
}

static void find_jumps(const struct link *l, struct sweep *s)
{
	int64_t k = 0;

	while (s->jumps < SWEEP_JUMPS && !is_past_limit(l, s, max_s) &&
	       (k = next_jump(l, s, k)) < s->n)
		locate_jump(l, s, k);
}

/* ---- all of it ---- */

void sweep_measure(const struct link *l, struct sweep *s)
{
	memset(s, 0, sizeof *s);
	s->start_ns = now_ns();
	s->limit_bytes = measure_limit(l);
	choose_sizes(s);
	for (int i = 0; i < SWEEPS; i++) {
		if (i > 2 && is_past_limit(l, s, long_s))
			break;
		for (int k = 0; k < s->n; k++)
			measure_size(l, s, k);
	}
	for (int i = 0; i < PASSES; i++)
		measure_odd(l, s);
	find_jumps(l, s);
	for (int i = 0; i < PASSES; i++)
		measure_odd(l, s);
}

static double known_median(const struct times *t)
{
	return t->n ? t->median : -1;
}

/*
 * Limits of undisturbed times: a larger message takes at least this share of
 * the time of a smaller one and, from LARGE bytes on, at most this multiple of
 * its time for each byte.
 */
static const double larger_least = 0.65, larger_most = 2;
enum { LARGE = 1024 };

/* Returns 1 if size k was disturbed, by comparison with the other sizes. */
static int is_disturbed(const struct sweep *s, int k)
{
	const struct times *t = s->of[SWEEP_WHOLE];

	for (int j = k + 1; j < s->n; j++)
		if (t[j].median + odd_ns < larger_least * t[k].median)
			return 1;
	for (int j = 0; j < k; j++)
		if (s->bytes[j] >= LARGE &&
		    t[k].median / (double)s->bytes[k] >
			larger_most * t[j].median / (double)s->bytes[j])
			return 1;
	return 0;
}

int sweep_sizes(const struct sweep *s, struct tape_smpi_size *size)
{
	int n = 0;

	for (int k = 0; k < s->n; k++) {
		if (is_disturbed(s, k))
			continue;
		size[n++] = (struct tape_smpi_size){
		    .bytes = (double)s->bytes[k],
		    .ns = s->of[SWEEP_WHOLE][k].ns,
		    .n = (size_t)s->of[SWEEP_WHOLE][k].n,
		    .send_ns = known_median(&s->of[SWEEP_SEND][k]),
		    .receive_ns = known_median(&s->of[SWEEP_RECEIVE][k]),
		    .isend_ns = known_median(&s->of[SWEEP_ISEND][k]),
		    .exchange_ns = known_median(&s->of[SWEEP_EXCHANGE][k])};
	}
	return n;
}
