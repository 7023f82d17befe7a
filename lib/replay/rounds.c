/* Collectives in progress; see rounds.h. */
#include <stdlib.h>

#include "hash_slots.h"
#include "rounds.h"

TAPE_SLOTS_TYPE(round_slots, struct tape_round *)

struct tape_rounds {
	size_t own, own_each;
	struct round_slots in_progress;
	struct tape_round *last[2]; /* asked for, by k % 2; or NULL */
};

/* Slots at first. */
enum { LEAST = 256 };

struct round_key {
	uint64_t comm, k;
};

static uint64_t mix_bits(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 29;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

static int is_used(struct tape_round *const *slot)
{
	return *slot != NULL;
}

static struct round_key get_key(const void *own, struct tape_round *const *slot)
{
	(void)own;
	return (struct round_key){(*slot)->comm, (*slot)->k};
}

static uint64_t hash_round(struct round_key key)
{
	return mix_bits(key.comm ^ mix_bits(key.k));
}

static int is_equal_round(struct round_key a, struct round_key b)
{
	return a.comm == b.comm && a.k == b.k;
}

TAPE_SLOTS(round_slots, struct tape_round *, const void *, struct round_key,
	   is_used, get_key, hash_round, is_equal_round)

struct tape_rounds *tape_rounds_new(size_t own, size_t own_each)
{
	struct tape_rounds *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->own = own;
	r->own_each = own_each;
	if (round_slots_reserve(NULL, &r->in_progress, LEAST)) {
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
	for (uint64_t i = 0; i <= r->in_progress.mask; i++)
		free_round(r->in_progress.list[i]);
	free(r->in_progress.list);
	free(r);
}

/* Not the one that was asked for before. */
__attribute__((noinline)) static struct tape_round *
find_or_add_round(struct tape_rounds *r, uint64_t comm, uint64_t k,
		  int32_t size, int32_t known)
{
	struct tape_round **at, *q;

	if (round_slots_reserve(NULL, &r->in_progress, LEAST))
		return NULL;
	at = round_slots_find(NULL, &r->in_progress,
			      (struct round_key){comm, k});
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
	r->in_progress.used++;
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
	if (++q->left < q->known)
		return;
	round_slots_remove(NULL, &r->in_progress,
			   round_slots_find(NULL, &r->in_progress,
					    (struct round_key){q->comm, q->k}));
	if (r->last[q->k % 2] == q)
		r->last[q->k % 2] = NULL;
	free_round(q);
}

uint64_t tape_rounds_left(const struct tape_rounds *r)
{
	return r->in_progress.used;
}

struct tape_round *tape_rounds_each(struct tape_rounds *r, uint64_t *at)
{
	while (*at <= r->in_progress.mask && !r->in_progress.list[*at])
		++*at;
	return *at <= r->in_progress.mask ? r->in_progress.list[(*at)++] : NULL;
}
