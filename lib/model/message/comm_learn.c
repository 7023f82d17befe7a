/*
 * Stores samples of messages; see comm.h. Which messages count:
 * doc/perturbation.md, "The communication model".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "comm_learner.h"
#include "quantile.h"
#include "sort.h"

static uint64_t scramble_key(uint64_t x)
{
	return tape_next_random(&x);
}

static int is_sampled(uint64_t key, uint32_t level)
{
	return !level || key >> (64 - level) == 0;
}

/* Raises the level and drops the values above it. */
static void raise_level(struct tape_sampler *s, uint32_t level)
{
	uint32_t n = 0;

	s->level = level;
	for (uint32_t i = 0; i < s->n; i++)
		if (is_sampled(s->key[i], level)) {
			s->key[n] = s->key[i];
			s->value[n++] = s->value[i];
		}
	s->n = n;
}

static void insert_value(struct tape_sampler *s, uint64_t key, double v)
{
	while (s->n == TAPE_SAMPLER_MOST && s->level < 64 &&
	       is_sampled(key, s->level))
		raise_level(s, s->level + 1);
	if (s->n == TAPE_SAMPLER_MOST || !is_sampled(key, s->level))
		return;
	s->key[s->n] = key;
	s->value[s->n++] = v;
}

void tape_sampler_put(struct tape_sampler *s, uint64_t key, double v)
{
	s->seen++;
	insert_value(s, scramble_key(key), v);
}

void tape_sampler_add(struct tape_sampler *s, double v)
{
	tape_sampler_put(s, s->seen, v);
}

void tape_sampler_join(struct tape_sampler *from, struct tape_sampler *to)
{
	if (!from->seen)
		return; /* unwritten pages take no memory */
	if (from->level > to->level)
		raise_level(to, from->level);
	for (uint32_t i = 0; i < from->n; i++)
		insert_value(to, from->key[i], from->value[i]);
	to->seen += from->seen;
	*from = (struct tape_sampler){0};
}

double tape_sampler_quantile(const struct tape_sampler *s, double q)
{
	double v[TAPE_SAMPLER_MOST];

	memcpy(v, s->value, s->n * sizeof *v);
	return tape_quantile(v, s->n, q);
}

struct tape_comm_learner *tape_comm_learner_new(void)
{
	struct tape_comm_learner *l = calloc(1, sizeof *l);

	for (int d = 0; l && d < TAPE_DISTANCES; d++) {
		l->least[d] = INFINITY;
		for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
			l->least_gap[d][c] = INFINITY;
	}
	return l;
}

static void free_classes(tape_comm_classes *of)
{
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		free((*of)[c]);
}

void tape_comm_learner_free(struct tape_comm_learner *l)
{
	for (int d = 0; l && d < TAPE_DISTANCES; d++) {
		free_classes(&l->early[d]);
		free_classes(&l->late[d]);
		free_classes(&l->met[d]);
		free_classes(&l->sender[d]);
	}
	free(l);
}

static void store_sample(struct tape_comm_learner *l, tape_comm_classes *of,
			 uint64_t key, double ns, uint64_t bytes, double gap)
{
	struct tape_comm_kept **k = &(*of)[tape_size_class(bytes)];

	if (!*k)
		*k = calloc(1, sizeof **k);
	if (!*k) {
		l->no_memory = 1;
		return;
	}
	tape_sampler_put(&(*k)->ns, key, ns);
	tape_sampler_put(&(*k)->bytes, key, (double)bytes);
	tape_sampler_put(&(*k)->gap, key, gap);
}

void tape_comm_learn_arrived(struct tape_comm_learner *l,
			     const struct tape_parcel *p, int64_t s, int64_t sr)
{
	double *least =
		&l->least_gap[p->distance][tape_size_class(p->bytes)];

	*least = fmin(*least, (double)(sr - s));
}

void tape_comm_learn(struct tape_comm_learner *l, uint64_t key,
		     const struct tape_parcel *p, int64_t s, int64_t sr,
		     int64_t er, int arrived)
{
	int c = tape_size_class(p->bytes);
	enum tape_distance d = p->distance;
	double all = (double)(er - s);

	if (arrived) {
		tape_comm_learn_arrived(l, p, s, sr);
		tape_sampler_put(&l->dc[d][c], key, (double)(er - sr));
		return;
	}
	if (all < 0)
		return;
	l->least[d] = fmin(l->least[d], all);
	store_sample(l, sr > s ? &l->late[d] : &l->early[d], key, all, p->bytes,
		     (double)(sr - s));
}

/* ---- the samples for a fit ---- */

struct sampled {
	uint64_t key;
	double ns, bytes;
};

static int compare_samples(const void *a, const void *b)
{
	const struct sampled *p = a, *q = b;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (p->ns != q->ns)
		return p->ns < q->ns ? -1 : 1;
	return p->bytes < q->bytes ? -1 : p->bytes > q->bytes;
}

/*
 * Lists the messages with a gap of at most least and below least_gap, up to the
 * given level of the sampler. Returns their number; adds to *seen the estimated
 * number of all such messages.
 */
static size_t select_samples(const struct tape_comm_kept *k, double least,
			     double least_gap, uint32_t level,
			     struct sampled *list, double *seen)
{
	size_t n = 0, fit = 0;

	for (uint32_t i = 0; i < k->ns.n; i++) {
		if (k->gap.value[i] > least || k->gap.value[i] >= least_gap)
			continue;
		fit++;
		if (is_sampled(k->ns.key[i], level))
			list[n++] = (struct sampled){
			    k->ns.key[i], k->ns.value[i], k->bytes.value[i]};
	}
	if (fit)
		*seen += (double)k->ns.seen * (double)fit / k->ns.n;
	return n;
}

void tape_comm_sample(const struct tape_comm_learner *l, int d, int protocol,
		      int c, struct tape_comm_sample *s)
{
	static const struct tape_comm_kept none;
	const struct tape_comm_kept *k =
	    protocol ? l->met[d][c] : l->early[d][c];
	const struct tape_comm_kept *late =
	    l->late[d][c] ? l->late[d][c] : &none;
	double least = protocol ? INFINITY : l->least[d];
	double least_gap = protocol ? INFINITY : l->least_gap[d][c];
	struct sampled list[2 * TAPE_SAMPLER_MOST];
	size_t n;

	if (protocol && !k)
		k = l->sender[d][c];
	if (!k)
		k = &none;
	s->seen = 0;
	n = select_samples(k, least, least_gap, k->ns.level, list, &s->seen);
	/* both kinds in their proportion, or only one of them */
	if (!protocol && !n)
		n = select_samples(late, least, least_gap, late->ns.level, list,
				   &s->seen);
	else if (!protocol && late->ns.level <= k->ns.level)
		n += select_samples(late, least, least_gap, k->ns.level,
				    list + n, &s->seen);
	tape_sort(list, n, sizeof *list, compare_samples);
	s->n = n < TAPE_SAMPLER_MOST ? n : TAPE_SAMPLER_MOST;
	for (size_t i = 0; i < s->n; i++) {
		s->bytes[i] = list[i].bytes;
		s->ns[i] = list[i].ns;
	}
}

void tape_comm_learn_overlapping(struct tape_comm_learner *l,
				 const struct tape_parcel *p, int64_t s,
				 int64_t er)
{
	struct together *t = &l->together[p->distance]
					 [tape_size_class(p->bytes)];
	double all = (double)(er - s), bytes = (double)p->bytes;

	if (all < 0)
		return;
	l->least[p->distance] = fmin(l->least[p->distance], all);
	if (!t->n++ || all < t->ns) {
		t->second_ns = t->n > 1 ? t->ns : INFINITY;
		t->ns = all;
		t->bytes = bytes;
		return;
	}
	t->second_ns = fmin(t->second_ns, all);
	if (all == t->ns)
		t->bytes = fmin(t->bytes, bytes);
}

void tape_comm_learn_rendezvous(struct tape_comm_learner *l, uint64_t key,
				const struct tape_parcel *p, double lag_ns)
{
	if (lag_ns >= 0)
		store_sample(l, &l->met[p->distance], key, lag_ns, p->bytes, 0);
}

void tape_comm_learn_sender(struct tape_comm_learner *l, uint64_t key,
			    const struct tape_parcel *p, double lag_ns)
{
	if (lag_ns >= 0)
		store_sample(l, &l->sender[p->distance], key, lag_ns, p->bytes,
			     0);
}

const struct tape_sampler *
tape_comm_dc_sample(const struct tape_comm_learner *l, int d, int c)
{
	enum tape_distance k;

	for (int i = 0; !l->dc[d][c].n; i++) {
		k = tape_distance_substitute((enum tape_distance)d, i);
		if (k == TAPE_DISTANCES)
			break;
		if (l->dc[k][c].n)
			return &l->dc[k][c];
	}
	return &l->dc[d][c];
}

/* ---- two distances in one ---- */

static void join_samples(struct tape_comm_kept **from,
			 struct tape_comm_kept **to)
{
	if (*from && *to) {
		tape_sampler_join(&(*from)->ns, &(*to)->ns);
		tape_sampler_join(&(*from)->bytes, &(*to)->bytes);
		tape_sampler_join(&(*from)->gap, &(*to)->gap);
		free(*from);
	} else if (*from) {
		*to = *from;
	}
	*from = NULL;
}

static void join_overlapping(struct together *from, struct together *to)
{
	double second = fmin(from->n > 1 ? from->second_ns : INFINITY,
			     to->n > 1 ? to->second_ns : INFINITY);

	if (!from->n)
		return;
	if (!to->n) {
		*to = *from;
	} else {
		to->second_ns = fmin(second, fmax(from->ns, to->ns));
		if (from->ns == to->ns)
			to->bytes = fmin(to->bytes, from->bytes);
		if (from->ns < to->ns) {
			to->ns = from->ns;
			to->bytes = from->bytes;
		}
		to->n += from->n;
	}
	*from = (struct together){0};
}

void tape_comm_join(struct tape_comm_learner *l, int from, int to, int protocol)
{
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		if (protocol) {
			join_samples(&l->met[from][c], &l->met[to][c]);
			join_samples(&l->sender[from][c], &l->sender[to][c]);
			continue;
		}
		join_samples(&l->early[from][c], &l->early[to][c]);
		join_samples(&l->late[from][c], &l->late[to][c]);
		tape_sampler_join(&l->dc[from][c], &l->dc[to][c]);
		join_overlapping(&l->together[from][c], &l->together[to][c]);
		l->least_gap[to][c] =
		    fmin(l->least_gap[to][c], l->least_gap[from][c]);
	}
	if (!protocol)
		l->least[to] = fmin(l->least[to], l->least[from]);
}
