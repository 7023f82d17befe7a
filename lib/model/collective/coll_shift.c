/*
 * Collectives as exchanges and rings; see coll.h and coll_program.h.
 *
 * R. Thakur, R. Rabenseifner and W. Gropp, Optimization of collective
 * communication operations in MPICH, 2005, for all but these: J. Bruck et al.,
 * Efficient algorithms for all-to-all communications, 1997; J. Chen et al.,
 * Performance evaluation of allgather algorithms, 2005 (neighbours).
 */
#include "coll_program.h"

/* ---- exchanges ---- */

/*
 * The members that exchange at powers of two, and the extra ones. last: the
 * last members are extra; else the even ones of the first pairs.
 */
struct core {
	int size, extra, last;
};

static struct core make_core(int n, int last)
{
	int power = tape_coll_power(n);

	return (struct core){ power, n - power, last };
}

static int core_member(const struct core *k, int v)
{
	if (k->last)
		return v;
	return v < k->extra ? 2 * v + 1 : v + k->extra;
}

static int extra_member(const struct core *k, int i)
{
	return k->last ? k->size + i : 2 * i;
}

/* Each extra member sends to its partner in the core; out: back to it. */
static void fold_extras(struct play *p, const struct core *k, uint64_t bytes,
			int out)
{
	for (int i = 0; i < k->extra && !p->rc; i++)
		tape_coll_message(
		    p, out ? core_member(k, i) : extra_member(k, i),
		    out ? extra_member(k, i) : core_member(k, i), bytes);
	tape_coll_step(p);
}

static void exchange_pairs(struct play *p, const struct core *k, int distance,
			   uint64_t bytes)
{
	for (int v = 0; v < k->size && !p->rc; v++)
		tape_coll_message(p, core_member(k, v),
				  core_member(k, v ^ distance), bytes);
	tape_coll_step(p);
}

void tape_coll_doubling(struct play *p)
{
	struct core k = make_core(p->c.size, p->variant);
	uint64_t bytes = p->c.bytes;

	fold_extras(p, &k, bytes, 0);
	for (int d = 1; d < k.size; d *= 2) {
		exchange_pairs(p, &k, d, bytes);
		bytes *= p->c.op == TAPE_COLL_ALLGATHER ? 2 : 1;
	}
	fold_extras(p, &k, p->c.bytes, 1);
}

/* Blocks of count members of the core from v on and of their extra members. */
static uint64_t count_blocks(const struct core *k, int v, int count)
{
	int pairs = k->extra - v;

	pairs = pairs < 0 ? 0 : pairs > count ? count : pairs;
	return (uint64_t)(count + pairs);
}

/* Each keeps the half that contains its own block and sends the other half. */
void tape_coll_halving(struct play *p)
{
	struct core k = make_core(p->c.size, 0);
	uint64_t block = p->c.bytes / (uint64_t)p->c.size;

	fold_extras(p, &k, p->c.bytes, 0);
	for (int d = k.size / 2; d; d /= 2) {
		for (int v = 0; v < k.size && !p->rc; v++) {
			int u = v ^ d;

			tape_coll_message(p, core_member(&k, v),
					  core_member(&k, u),
					  block * count_blocks(&k, u & -d, d));
		}
		tape_coll_step(p);
	}
	fold_extras(p, &k, block, 1);
}

/* Extra members and partners exchange halves; the extra's half-sum follows. */
static void share_halves(struct play *p, const struct core *k)
{
	uint64_t half = p->c.bytes / 2;

	for (int i = 0; i < k->extra && !p->rc; i++) {
		tape_coll_message(p, 2 * i, 2 * i + 1, half);
		tape_coll_message(p, 2 * i + 1, 2 * i, half);
	}
	tape_coll_step(p);
	fold_extras(p, k, half, 0);
}

void tape_coll_rabenseifner(struct play *p)
{
	struct core k = make_core(p->c.size, 0);
	uint64_t bytes = p->c.bytes;

	share_halves(p, &k);
	for (int d = 1; d < k.size; d *= 2)
		exchange_pairs(p, &k, d, bytes / 2 / (uint64_t)d);
	for (int d = k.size / 2; d; d /= 2)
		exchange_pairs(p, &k, d, bytes / 2 / (uint64_t)d);
	fold_extras(p, &k, p->c.bytes, 1);
}

/* ---- rings and shifts ---- */

/* Each sends to the member at a distance. */
static void shift_ring(struct play *p, int distance, uint64_t bytes)
{
	int n = p->c.size;

	for (int v = 0; v < n && !p->rc; v++)
		tape_coll_message(p, v, (v + distance) % n, bytes);
	tape_coll_step(p);
}

/* How many of the n - 1 others have that bit in their distance. */
static int with_bit(int n, int bit)
{
	int count = 0;

	for (int v = 1; v < n; v++)
		count += (v & bit) != 0;
	return count;
}

void tape_coll_bruck(struct play *p)
{
	int n = p->c.size;

	for (int d = 1; d < n; d *= 2) {
		int blocks = p->c.op == TAPE_COLL_ALLTOALL ? with_bit(n, d)
			     : d < n - d ? d : n - d;

		/* blocks of an allgather come from above */
		shift_ring(p, p->c.op == TAPE_COLL_ALLGATHER ? n - d : d,
			   p->c.bytes * (uint64_t)blocks);
	}
}

void tape_coll_ring(struct play *p)
{
	int all = p->c.op == TAPE_COLL_ALLREDUCE;
	uint64_t parts = p->c.op == TAPE_COLL_ALLGATHER
				 ? 1 : (uint64_t)p->c.size;

	for (int i = 0; i < (p->c.size - 1) * (1 + all); i++)
		shift_ring(p, 1, p->c.bytes / parts);
}

void tape_coll_double_ring(struct play *p)
{
	int n = p->c.size;

	for (int i = 0; i < 2 * n && !p->rc; i++)
		tape_coll_message_step(p, i % n, (i + 1) % n, 0);
}

/* First with one neighbour a block, then with both in turn two. */
void tape_coll_neighbours(struct play *p)
{
	int n = p->c.size;

	if (n % 2) {
		tape_coll_ring(p);
		return;
	}
	for (int i = 0; i < n / 2; i++) {
		for (int v = 0; v < n && !p->rc; v++) {
			int by = v % 2 == i % 2 ? 1 : n - 1;

			tape_coll_message(p, v, (v + by) % n,
					  p->c.bytes * (i ? 2 : 1));
		}
		tape_coll_step(p);
	}
}

void tape_coll_pairs(struct play *p)
{
	int n = p->c.size;

	for (int k = 1; k < n; k++) {
		for (int v = 0; v < n && !p->rc; v++)
			tape_coll_message(p, v, (v + k) % n, p->c.bytes);
		tape_coll_step(p);
	}
}

void tape_coll_spread(struct play *p)
{
	int n = p->c.size;

	for (int v = 0; v < n; v++)
		for (int u = 0; u < n && !p->rc; u++)
			if (u != v)
				tape_coll_message(p, v, u, p->c.bytes);
	tape_coll_step_by_arrival(p);
}
