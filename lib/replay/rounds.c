/* Collectives in progress; see rounds.h. A hash table with linear probing. */
#include <stdlib.h>

#include "rounds.h"

struct tape_rounds {
	size_t own, own_each;
	struct tape_round **table;
	uint64_t mask, used;
	struct tape_round *last[2]; /* asked for, by k % 2; or NULL */
};

static uint64_t mix_bits(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 29;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

struct tape_rounds *tape_rounds_new(size_t own, size_t own_each)
{
	struct tape_rounds *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->own = own;
	r->own_each = own_each;
	r->mask = 255;
	r->table = calloc(r->mask + 1, sizeof *r->table);
	if (!r->table) {
		free(r);
		return NULL;
	}
	return r;
}

static void free_round(struct tape_round *q)
{
	if (!q)
		return;
	free(q->start_ns);
	free(q->own);
	free(q);
}

void tape_rounds_free(struct tape_rounds *r)
{
	if (!r)
		return;
	for (uint64_t i = 0; i <= r->mask; i++)
		free_round(r->table[i]);
	free(r->table);
	free(r);
}

static uint64_t round_index(const struct tape_rounds *r, uint64_t comm,
			    uint64_t k)
{
	return mix_bits(comm ^ mix_bits(k)) & r->mask;
}

static struct tape_round **find_round(struct tape_rounds *r, uint64_t comm,
				      uint64_t k)
{
	uint64_t i = round_index(r, comm, k);

	while (r->table[i] &&
	       (r->table[i]->comm != comm || r->table[i]->k != k))
		i = (i + 1) & r->mask;
	return &r->table[i];
}

static int grow_rounds(struct tape_rounds *r)
{
	struct tape_round **old = r->table;
	uint64_t n = r->mask + 1;

	r->table = calloc(2 * n, sizeof *r->table);
	if (!r->table) {
		r->table = old;
		return -1;
	}
	r->mask = 2 * n - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i])
			*find_round(r, old[i]->comm, old[i]->k) = old[i];
	free(old);
	return 0;
}

/* Not the one that was asked for before. */
__attribute__((noinline)) static struct tape_round *
find_or_add_round(struct tape_rounds *r, uint64_t comm, uint64_t k,
		  int32_t size, int32_t known)
{
	struct tape_round **at, *q;

	if (2 * r->used > r->mask && grow_rounds(r))
		return NULL;
	at = find_round(r, comm, k);
	if (*at)
		return r->last[k % 2] = *at;
	q = calloc(1, sizeof *q);
	if (!q || size < 1)
		goto fail;
	q->comm = comm;
	q->k = k;
	q->size = size;
	q->known = known < 1 ? 1 : known < size ? known : size;
	q->start_ns = malloc((size_t)size * sizeof *q->start_ns);
	q->own = calloc(1, r->own + (size_t)size * r->own_each + 1);
	if (!q->start_ns || !q->own)
		goto fail;
	for (int32_t i = 0; i < size; i++)
		q->start_ns[i] = INT64_MIN;
	*at = r->last[k % 2] = q;
	r->used++;
	return q;
fail:
	free_round(q);
	return NULL;
}

struct tape_round *tape_rounds_get(struct tape_rounds *r, uint64_t comm,
				   uint64_t k, int32_t size, int32_t known)
{
	struct tape_round *q = r->last[k % 2];

	/* members leave one and enter the next, one after the other */
	if (q && q->k == k && q->comm == comm)
		return q;
	return find_or_add_round(r, comm, k, size, known);
}

int tape_round_enter(struct tape_round *q, int32_t rank, int64_t start_ns)
{
	if (rank < 0 || rank >= q->size || q->start_ns[rank] != INT64_MIN)
		return 0;
	if (!q->entered++)
		q->base_ns = q->latest_ns = start_ns;
	q->start_ns[rank] = start_ns;
	/* of several at once the last rank, in whatever order they come */
	if (start_ns > q->latest_ns || q->entered == 1 ||
	    (start_ns == q->latest_ns && rank > q->latest)) {
		q->latest_ns = start_ns;
		q->latest = rank;
	}
	return 1;
}

/* Have all those entered that are in the trace, or those of a range? */
static int have_entered(const struct tape_round *q, int first, int last)
{
	if (q->known < q->size || last - first >= q->size)
		return q->entered >= q->known;
	for (int i = first; i < last && i < q->size; i++)
		if (q->start_ns[i] == INT64_MIN)
			return 0;
	return 1;
}

static int sources_entered(const struct tape_round *q,
			   const struct tape_request *r)
{
	if (q->known < q->size)
		return q->entered >= q->known;
	for (size_t i = 0; i < r->n_sources; i++)
		if (r->sources[i] >= 0 && r->sources[i] < q->size &&
		    q->start_ns[r->sources[i]] == INT64_MIN)
			return 0;
	return 1;
}

int tape_round_ready(const struct tape_round *q, const struct tape_request *r)
{
	switch (r->shape) {
	case TAPE_SHAPE_FROM:
		return r->root < 0 || r->root >= q->size ||
		       q->start_ns[r->root] != INT64_MIN;
	case TAPE_SHAPE_TO:
		return r->root != r->rank ||
		       have_entered(q, r->first, r->last);
	case TAPE_SHAPE_SCAN:
		return have_entered(q, 0, r->rank);
	case TAPE_SHAPE_NEAR:
		return sources_entered(q, r);
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_ALL:
		break;
	}
	return have_entered(q, 0, q->size);
}

void tape_round_leave(struct tape_rounds *r, struct tape_round *q)
{
	uint64_t hole, i;

	if (++q->left < q->known)
		return;
	hole = (uint64_t)(find_round(r, q->comm, q->k) - r->table);
	for (i = hole;;) {
		i = (i + 1) & r->mask;
		if (!r->table[i])
			break;
		if (((i - round_index(r, r->table[i]->comm, r->table[i]->k)) &
		     r->mask) >= ((i - hole) & r->mask)) {
			r->table[hole] = r->table[i];
			hole = i;
		}
	}
	r->table[hole] = NULL;
	r->used--;
	if (r->last[q->k % 2] == q)
		r->last[q->k % 2] = NULL;
	free_round(q);
}

uint64_t tape_rounds_left(const struct tape_rounds *r)
{
	return r->used;
}

struct tape_round *tape_rounds_each(struct tape_rounds *r, uint64_t *at)
{
	while (*at <= r->mask && !r->table[*at])
		++*at;
	return *at <= r->mask ? r->table[(*at)++] : NULL;
}
