/*
 * Collectives without a root as in SimGrid 3.32 (src/smpi/colls); see
 * coll.h and coll_program.h.
 */
#include <stdlib.h>

#include "coll_smpi.h"
#include "error.h"

/* ---- a core of a power of two ---- */

struct tape_coll_core tape_coll_core(const struct play *p)
{
	int power = tape_coll_power(p->c.size);

	return (struct tape_coll_core){ power, p->c.size - power };
}

int tape_coll_core_index(const struct tape_coll_core *k, int v)
{
	if (v >= 2 * k->extra)
		return v - k->extra;
	return v % 2 ? v / 2 : -1;
}

int tape_coll_core_member(const struct tape_coll_core *k, int i)
{
	return i < k->extra ? 2 * i + 1 : i + k->extra;
}

void tape_coll_fold(struct play *p, const struct tape_coll_core *k, int v,
		    int after, uint64_t bytes)
{
	int even = v % 2 == 0;

	if (v >= 2 * k->extra)
		return;
	if (even != after)
		tape_coll_send(p, v, even ? v + 1 : v - 1, bytes);
	else
		tape_coll_recv(p, v, even ? v + 1 : v - 1);
}

/* Doubling in which the last members are extra. */
static void add_doubling_last(struct play *p)
{
	int n = p->c.size, size = tape_coll_power(n);

	for (int v = 0; v < n; v++) {
		if (v >= size) {
			tape_coll_sendrecv(p, v, v - size, 0, v - size);
			continue;
		}
		if (v + size < n)
			tape_coll_recv(p, v, v + size);
		for (int d = 1; d < size && !p->rc; d *= 2)
			tape_coll_sendrecv(p, v, v ^ d, 0, v ^ d);
		if (v + size < n)
			tape_coll_send(p, v, v + size, 0);
	}
}

void tape_coll_smpi_doubling(struct play *p)
{
	struct tape_coll_core k = tape_coll_core(p);

	if (p->variant) {
		add_doubling_last(p);
		return;
	}
	for (int v = 0; v < p->c.size && !p->rc; v++) {
		int i = tape_coll_core_index(&k, v);

		tape_coll_fold(p, &k, v, 0, p->c.bytes);
		for (int d = 1; d < k.size && i >= 0; d *= 2) {
			int u = tape_coll_core_member(&k, i ^ d);

			tape_coll_sendrecv(p, v, u, p->c.bytes, u);
		}
		tape_coll_fold(p, &k, v, 1, p->c.bytes);
	}
}

/* ---- sums of vectors ---- */

static uint64_t element_of(const struct play *p)
{
	return p->c.element ? p->c.element : tape_coll_element(p->c.bytes);
}

/* Elements in parts of one size; the last part also has the remainder. */
struct parts {
	uint64_t each, rest, element;
	int last;
};

static uint64_t part_bytes(const struct parts *s, int from, int n)
{
	uint64_t sum = s->each * (uint64_t)n;

	return (sum + (from + n > s->last ? s->rest : 0)) * s->element;
}

static void add_rabenseifner(struct play *p, const struct tape_coll_core *k,
			     int v, int i)
{
	uint64_t element = element_of(p), all = p->c.bytes / element;
	struct parts s = { .each = all / (uint64_t)k->size,
			   .element = element, .last = k->size - 1 };
	int from = 0, n = k->size;

	s.rest = all - s.each * (uint64_t)k->size;
	for (int d = 1; d < k->size && !p->rc; d *= 2) {
		int u = tape_coll_core_member(k, i ^ d);

		n /= 2;
		tape_coll_sendrecv(
		    p, v, u, part_bytes(&s, from + (i & d ? 0 : n), n), u);
		from += i & d ? n : 0;
	}
	for (int d = k->size / 2; d && !p->rc; d /= 2) {
		int u = tape_coll_core_member(k, i ^ d);

		tape_coll_sendrecv(p, v, u, part_bytes(&s, from, n), u);
		from -= i & d ? n : 0;
		n *= 2;
	}
}

void tape_coll_smpi_rabenseifner(struct play *p)
{
	struct tape_coll_core k = tape_coll_core(p);

	for (int v = 0; v < p->c.size && !p->rc; v++) {
		int i = tape_coll_core_index(&k, v);

		tape_coll_fold(p, &k, v, 0, p->c.bytes);
		if (i >= 0)
			add_rabenseifner(p, &k, v, i);
		tape_coll_fold(p, &k, v, 1, p->c.bytes);
	}
}

/* The remainder is reduced by a separate allreduce, as the library chooses. */
void tape_coll_smpi_ring_sum(struct play *p)
{
	int n = p->c.size;
	uint64_t element = element_of(p), all = p->c.bytes / element;
	uint64_t each = all / (uint64_t)n, rest = all % (uint64_t)n;

	for (int v = 0; v < n; v++)
		for (int i = 0; i < 2 * (n - 1) && !p->rc; i++)
			tape_coll_sendrecv(p, v, (v + 1) % n, each * element,
					   (v + n - 1) % n);
	if (rest) {
		p->c.element = element;
		tape_coll_add_chosen(p, TAPE_COLL_ALLREDUCE, 0, rest * element);
	}
}

/* Reduces to member 0 at once and scatters. Variant 1: gathers blocks and
 * broadcasts all of them. */
void tape_coll_smpi_two_parts(struct play *p)
{
	struct tape_collective whole = p->c;
	int gathers = p->variant;

	p->c.root = 0;
	p->c.op = gathers ? TAPE_COLL_GATHER : TAPE_COLL_REDUCE;
	tape_coll_add_algorithm(p, TAPE_COLL_SMPI_AT_ONCE);
	if (gathers) {
		tape_coll_add_chosen(p, TAPE_COLL_BCAST, 0,
				     whole.bytes * (uint64_t)whole.size);
	} else {
		p->c.op = TAPE_COLL_SCATTER;
		p->c.bytes /= (uint64_t)whole.size;
		tape_coll_add_algorithm(p, TAPE_COLL_SMPI_AT_ONCE);
	}
	p->c = whole;
}

/* ---- doubling of the data of each member ---- */

/* Bytes that each member, counted from the root, has, and received last. */
struct held {
	uint64_t *all, *last;
};

/*
 * If members of a group had no partner: in their half, members that received
 * data forward it to the others, at decreasing distances.
 */
static void forward_to_rest(struct play *p, struct held *h, int distance)
{
	int n = p->c.size, root = p->c.root;

	for (int d = distance / 2, group = distance; d; d /= 2, group /= 2)
		for (int v = 0; v < n && !p->rc; v++) {
			int half = v & -distance, done = n - half - distance;
			int other = (v ^ distance) & -distance;
			int first = v & -group, u = v ^ d;

			if (other + distance <= n || u < v || u >= n ||
			    v >= first + done || u < first + done)
				continue;
			tape_coll_send(p, (v + root) % n, (u + root) % n,
				       h->last[v]);
			tape_coll_recv(p, (u + root) % n, (v + root) % n);
			h->last[u] = h->last[v];
			h->all[u] += h->last[v];
		}
}

static void add_doubling(struct play *p, struct held *h)
{
	int n = p->c.size, root = p->c.root;

	for (int d = 1; d < n && !p->rc; d *= 2) {
		for (int v = 0; v < n; v++) {
			int to = ((v ^ d) + root) % n;

			if ((v ^ d) >= n)
				continue;
			tape_coll_sendrecv(p, (v + root) % n, to, h->all[v],
					   to);
			h->last[v] = h->all[v ^ d];
		}
		for (int v = 0; v < n; v++)
			h->all[v] += (v ^ d) < n ? h->last[v] : 0;
		forward_to_rest(p, h, d);
	}
}

/* Allocates h. Returns NULL when out of memory, and sets p->rc. */
static uint64_t *alloc_held(struct play *p, struct held *h)
{
	h->all = calloc(2 * (size_t)p->c.size, sizeof *h->all);
	h->last = h->all + (h->all ? p->c.size : 0);
	if (!h->all)
		p->rc = TAPE_ENOMEM;
	return h->all;
}

void tape_coll_smpi_rest(struct play *p)
{
	struct held h;

	if (!alloc_held(p, &h))
		return;
	for (int v = 0; v < p->c.size; v++)
		h.all[v] = p->c.bytes;
	p->c.root = 0;
	add_doubling(p, &h);
	free(h.all);
}

static uint64_t min_bytes(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Down a binomial tree: each member gets its part and those below it. */
static void add_scatter(struct play *p, struct held *h, uint64_t each)
{
	int n = p->c.size, root = p->c.root, power = tape_coll_power(n);

	h->all[0] = p->c.bytes;
	for (int v = 0; v < n && !p->rc; v++) {
		int me = (v + root) % n;

		if (h->last[v])
			tape_coll_recv(p, me, ((v & (v - 1)) + root) % n);
		for (int d = v ? (v & -v) / 2 : power; d; d /= 2) {
			uint64_t kept = each * (uint64_t)d;

			if (v + d >= n || h->all[v] <= kept)
				continue;
			h->last[v + d] = h->all[v + d] = h->all[v] - kept;
			h->all[v] = kept;
			tape_coll_send(p, me, (v + d + root) % n,
				       h->last[v + d]);
		}
	}
}

/* Scatters the parts of a vector, then exchanges them among all. */
void tape_coll_smpi_scattered(struct play *p)
{
	uint64_t n = (uint64_t)p->c.size, bytes = p->c.bytes;
	uint64_t each = (bytes + n - 1) / n;
	struct held h;

	if (!alloc_held(p, &h))
		return;
	add_scatter(p, &h, each);
	for (uint64_t v = 0; v < n; v++) {
		uint64_t before = min_bytes(v * each, bytes);

		h.all[v] = min_bytes(each, bytes - before);
	}
	add_doubling(p, &h);
	free(h.all);
}

/* ---- shifts, and all at once ---- */

/* How many of the n - 1 others have that bit in their distance. */
static int with_bit(int n, int bit)
{
	int count = 0;

	for (int v = 1; v < n; v++)
		count += (v & bit) != 0;
	return count;
}

void tape_coll_smpi_shifts(struct play *p)
{
	int n = p->c.size;

	for (int d = 1; d < n; d *= 2) {
		int count = p->c.op == TAPE_COLL_ALLTOALL ? with_bit(n, d)
			    : d < n - d ? d : n - d;
		uint64_t bytes = p->c.bytes * (uint64_t)count;
		/* blocks of an allgather come from above */
		int by = p->c.op == TAPE_COLL_ALLGATHER ? n - d : d;

		for (int v = 0; v < n && !p->rc; v++)
			tape_coll_sendrecv(p, v, (v + by) % n, bytes,
					   (v + n - by) % n);
	}
}

/* First with one neighbour a block, then with both in turn two. */
static void add_neighbours(struct play *p, int v)
{
	int n = p->c.size;

	for (int i = 0; i < n / 2 && !p->rc; i++) {
		int u = (v + (v % 2 == i % 2 ? 1 : n - 1)) % n;

		tape_coll_sendrecv(p, v, u, p->c.bytes * (i ? 2 : 1), u);
	}
}

/* Variants: shifts, exchanges with v ^ k, neighbours, a ring. */
void tape_coll_smpi_rounds(struct play *p)
{
	int n = p->c.size, variant = p->variant;

	for (int v = 0; v < n; v++) {
		if (variant == 2 && n % 2 == 0) {
			add_neighbours(p, v);
			continue;
		}
		for (int k = 1; k < n && !p->rc; k++) {
			int by = variant == 3 ? 1 : k;
			int to = variant == 1 ? v ^ k : (v + by) % n;
			int from = variant == 1 ? v ^ k : (v + n - by) % n;

			tape_coll_sendrecv(p, v, to, p->c.bytes, from);
		}
	}
}

/* The k-th partner of v, from 1: upwards from 0, or from v on. */
static int other_of(int v, int k, int n, int from_itself)
{
	if (from_itself)
		return (v + k) % n;
	return k - 1 < v ? k - 1 : k;
}

/* The bytes that member v receives from each other one. */
static uint64_t bytes_for(const struct play *p, int v)
{
	return p->c.op == TAPE_COLL_REDUCE_SCATTER ? tape_coll_part(p, v)
						   : p->c.bytes;
}

void tape_coll_smpi_everybody(struct play *p)
{
	int n = p->c.size, variant = p->variant;

	for (int v = 0; v < n && !p->rc; v++) {
		int receives = variant == 3 ? v : n - 1;
		size_t first = p->n;

		for (int k = 1; k <= receives && variant != 2; k++)
			tape_coll_irecv(p, v, other_of(v, k, n, !variant));
		for (int k = 1; k < n && !p->rc; k++) {
			int u = other_of(v, variant ? k : n - k, n, !variant);

			if (variant == 3 && u < v)
				continue;
			tape_coll_isend(p, v, u, bytes_for(p, u));
			if (variant == 2)
				tape_coll_irecv(p, v, u);
		}
		tape_coll_wait_all(p, v, first);
	}
}
