/*
 * Reduce-scatter as in SimGrid 3.32 (src/smpi/colls/reduce_scatter); see coll.h
 * and coll_program.h.
 */
#include "coll_smpi.h"

/* ---- parts ---- */

/* The part of a member, in bytes: the first ones have one element more. */
uint64_t tape_coll_part(const struct play *p, int v)
{
	uint64_t n = (uint64_t)p->c.size;
	uint64_t element = p->c.bytes % (8 * n) ? 1 : 8;
	uint64_t all = p->c.bytes / element;

	return element * (all / n + ((uint64_t)v < all % n));
}

/* The parts of n members of the core and of their extra members, in bytes. */
static uint64_t sum_parts(const struct play *p, const struct tape_coll_core *k,
			  int from, int n)
{
	uint64_t sum = 0;

	for (int i = from; i < from + n; i++) {
		int v = tape_coll_core_member(k, i);

		sum += tape_coll_part(p, v);
		if (i < k->extra)
			sum += tape_coll_part(p, v - 1);
	}
	return sum;
}

static void add_halving(struct play *p, const struct tape_coll_core *k, int v,
			int i)
{
	int from = 0;

	for (int d = k->size / 2; d && !p->rc; d /= 2) {
		int u = tape_coll_core_member(k, i ^ d);
		int mine = from + (i & d ? d : 0);
		uint64_t sent = sum_parts(p, k, from + (i & d ? 0 : d), d);
		uint64_t got = sum_parts(p, k, mine, d);
		size_t request = 0;

		if (sent && got) {
			request = tape_coll_irecv(p, v, u);
			tape_coll_send(p, v, u, sent);
			tape_coll_wait(p, request);
		}
		from = mine;
	}
}

void tape_coll_smpi_halving(struct play *p)
{
	struct tape_coll_core k = tape_coll_core(p);

	for (int v = 0; v < p->c.size && !p->rc; v++) {
		int i = tape_coll_core_index(&k, v);
		/* empty parts are not sent back */
		uint64_t back = tape_coll_part(p, v - v % 2);

		tape_coll_fold(p, &k, v, 0, p->c.bytes);
		if (i >= 0)
			add_halving(p, &k, v, i);
		if (back)
			tape_coll_fold(p, &k, v, 1, back);
	}
}

/* A number with its lowest bits, below size, in the other order. */
static int reverse_bits(int i, int size)
{
	int j = 0;

	for (int bit = 1; bit < size; bit *= 2)
		j = 2 * j + (i & bit ? 1 : 0);
	return j;
}

static void add_butterfly(struct play *p, const struct tape_coll_core *k, int v,
			  int i)
{
	int from = 0, n = k->size, other = reverse_bits(i, k->size), u;

	for (int d = 1; d < k->size && !p->rc; d *= 2) {
		u = tape_coll_core_member(k, i ^ d);
		n /= 2;
		tape_coll_sendrecv(
		    p, v, u, sum_parts(p, k, from + (i & d ? 0 : n), n), u);
		from += i & d ? n : 0;
	}
	/* now it has the part of another member and of its extra member */
	u = tape_coll_core_member(k, other);
	if (other < k->extra)
		tape_coll_send(p, v, u - 1, tape_coll_part(p, u - 1));
	if (other != i)
		tape_coll_sendrecv(p, v, u, tape_coll_part(p, u), u);
}

void tape_coll_smpi_butterfly(struct play *p)
{
	struct tape_coll_core k = tape_coll_core(p);

	for (int v = 0; v < p->c.size && !p->rc; v++) {
		int i = tape_coll_core_index(&k, v);
		int from = tape_coll_core_member(
		    &k, reverse_bits((v + 1) / 2, k.size));

		tape_coll_fold(p, &k, v, 0, p->c.bytes);
		if (i >= 0)
			add_butterfly(p, &k, v, i);
		else
			tape_coll_recv(p, v, from);
	}
}

/* Parts go around a ring; the next receive is posted before each wait. */
void tape_coll_smpi_ring_parts(struct play *p)
{
	int n = p->c.size;

	for (int v = 0; v < n; v++) {
		int from = (v + n - 1) % n, to = (v + 1) % n;
		size_t next = tape_coll_irecv(p, v, from);

		tape_coll_send(p, v, to, tape_coll_part(p, from));
		for (int i = 2; i < n && !p->rc; i++) {
			size_t now = next;

			next = tape_coll_irecv(p, v, from);
			tape_coll_wait(p, now);
			tape_coll_send(p, v, to,
				       tape_coll_part(p, (v + n - i) % n));
		}
		tape_coll_wait(p, next);
	}
}
