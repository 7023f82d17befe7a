/*
 * What the collectives of a trace tell a learner of models; see engine_parts.h.
 * To ask one takes long, so of many of a size some are asked: by what they are,
 * so that it does not matter which of them ends first.
 */
#include <math.h>
#include <stdlib.h>

#include "hash_bits.h"
#include "engine_parts.h"
#include "tool.h"

/* Enough for a median, of a size. */
enum { ROUNDS = 256 };

struct learned_round {
	uint64_t key;
	struct tape_parcel parcel;
	double ns; /* NAN: it tells nothing */
};

struct learned_rounds {
	struct learned_size {
		uint32_t n;
		unsigned level; /* keys have so many zeros in front */
		struct learned_round *list;
	} size[TAPE_SIZE_CLASSES];
};

static int is_kept(uint64_t key, unsigned level)
{
	return !level || key >> (64 - level) == 0;
}

/* Half as many of them, about. */
static void thin_samples(struct learned_size *z)
{
	uint32_t n = 0;

	z->level++;
	for (uint32_t i = 0; i < z->n; i++)
		if (is_kept(z->list[i].key, z->level))
			z->list[n++] = z->list[i];
	z->n = n;
}

/* Room for one of that key; NULL: it is not to be asked. */
static struct learned_round *new_sample(struct learned_size *z, uint64_t key)
{
	if (!z->list)
		z->list = tape_must(malloc(ROUNDS * sizeof *z->list));
	while (z->n == ROUNDS && z->level < 63 && is_kept(key, z->level))
		thin_samples(z);
	if (z->n == ROUNDS || !is_kept(key, z->level))
		return NULL;
	return &z->list[z->n++];
}

static uint64_t round_key(const struct tape_round *q)
{
	return tape_scramble_bits(q->comm + tape_spread_bits(q->k));
}

void engine_learn_round(struct engine *g, const struct flow *f,
			const struct tape_op *op)
{
	struct tape_round *q = engine_get_round(g, op);
	struct learned_round *told;
	uint64_t bytes;

	if (!engine_round_size(g, f, op, q, &bytes))
		return;
	if (!g->learned_rounds)
		g->learned_rounds =
		    tape_must(calloc(1, sizeof *g->learned_rounds));
	told = new_sample(&g->learned_rounds->size[tape_size_class(bytes)],
			  round_key(q));
	if (!told)
		return;
	told->key = round_key(q);
	if (!engine_round_transit(g, f, op, q, &told->parcel, &told->ns))
		told->ns = NAN;
}

void engine_submit_rounds(struct engine *g)
{
	for (int c = 0; g->learned_rounds && c < TAPE_SIZE_CLASSES; c++) {
		const struct learned_size *z = &g->learned_rounds->size[c];

		for (uint32_t i = 0; i < z->n; i++)
			if (!isnan(z->list[i].ns))
				tape_comm_learn(g->learner, z->list[i].key,
						&z->list[i].parcel, 0, 0,
						llrint(z->list[i].ns), 0);
		free(z->list);
	}
	free(g->learned_rounds);
	g->learned_rounds = NULL;
}
