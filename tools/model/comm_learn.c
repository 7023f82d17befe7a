/* Keeps what messages tell; see comm.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm_learner.h"
#include "quantile.h"

/* Anything below n, the same for the same place of a stream. */
static uint32_t any_below(uint64_t place, uint32_t n)
{
	/* Knuth, The Art of Computer Programming 3, 6.4 */
	return (uint32_t)((place * 11400714819323198485u) >> 40) % n;
}

void tape_sampler_add(struct tape_sampler *s, double v)
{
	uint64_t block;

	if (!s->stride)
		s->stride = 1;
	block = s->seen++ / s->stride;
	if ((s->seen - 1) % s->stride != any_below(block, s->stride))
		return;
	if (s->n == TAPE_SAMPLER_MOST) {
		for (uint32_t i = 0; i < s->n / 2; i++)
			s->value[i] = s->value[2 * i + any_below(i, 2)];
		s->n /= 2;
		s->stride *= 2;
	}
	s->value[s->n++] = v;
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

void tape_comm_learner_free(struct tape_comm_learner *l)
{
	free(l);
}

static void add_transit(struct tape_comm_learner *l,
			const struct tape_parcel *p, double ns)
{
	int c = tape_size_class(p->bytes);

	tape_sampler_add(&l->transit[p->distance][p->rendezvous][c], ns);
	tape_sampler_add(&l->size[p->distance][p->rendezvous][c],
			 (double)p->bytes);
}

void tape_comm_learn_arrived(struct tape_comm_learner *l,
			     const struct tape_parcel *p, int64_t s, int64_t sr)
{
	double *least =
		&l->least_gap[p->distance][tape_size_class(p->bytes)];

	*least = fmin(*least, (double)(sr - s));
}

void tape_comm_learn(struct tape_comm_learner *l, const struct tape_parcel *p,
		     int64_t s, int64_t sr, int64_t er, int arrived)
{
	int c = tape_size_class(p->bytes), d = p->distance;
	double all = (double)(er - s);

	if (arrived) {
		tape_comm_learn_arrived(l, p, s, sr);
		tape_sampler_add(&l->dc[d][c], (double)(er - sr));
		return;
	}
	if (all < 0)
		return;
	l->least[d] = fmin(l->least[d], all);
	if ((double)(sr - s) > l->least[d])
		return;
	add_transit(l, p, all);
	tape_sampler_add(&l->gap[d][c], (double)(sr - s));
}

void tape_comm_sample(const struct tape_comm_learner *l, int d, int protocol,
		      int c, struct tape_comm_sample *s)
{
	const struct tape_sampler *ns = &l->transit[d][protocol][c];
	const struct tape_sampler *size = &l->size[d][protocol][c];
	const struct tape_sampler *gap = &l->gap[d][c];

	if (protocol && !ns->n) {
		ns = &l->sender[d][c];
		size = &l->sender_size[d][c];
	}

	s->n = 0;
	for (uint32_t i = 0; i < ns->n; i++) {
		if (!protocol && (gap->value[i] > l->least[d] ||
				  gap->value[i] >= l->least_gap[d][c]))
			continue;
		s->bytes[s->n] = size->value[i];
		s->ns[s->n++] = ns->value[i];
	}
	s->seen = ns->n ? (double)ns->seen * (double)s->n / ns->n : 0;
}

void tape_comm_learn_together(struct tape_comm_learner *l,
			      const struct tape_parcel *p, int64_t s,
			      int64_t sr, int64_t er)
{
	struct together *t = &l->together[p->distance]
					 [tape_size_class(p->bytes)];
	double all = (double)(er - s);

	if (all < 0)
		return;
	l->least[p->distance] = fmin(l->least[p->distance], all);
	if ((double)(sr - s) > l->least[p->distance])
		return;
	if (!t->n++ || all < t->ns) {
		t->second_ns = t->n > 1 ? t->ns : INFINITY;
		t->ns = all;
		t->bytes = (double)p->bytes;
	} else {
		t->second_ns = fmin(t->second_ns, all);
	}
}

void tape_comm_learn_rendezvous(struct tape_comm_learner *l,
				const struct tape_parcel *p, double lag_ns)
{
	if (lag_ns >= 0)
		add_transit(l, p, lag_ns);
}

void tape_comm_learn_sender(struct tape_comm_learner *l,
			    const struct tape_parcel *p, double lag_ns)
{
	int c = tape_size_class(p->bytes), d = p->distance;

	if (lag_ns < 0)
		return;
	tape_sampler_add(&l->sender[d][c], lag_ns);
	tape_sampler_add(&l->sender_size[d][c], (double)p->bytes);
}

const struct tape_sampler *tape_comm_dcs(const struct tape_comm_learner *l,
					 int d, int c)
{
	enum tape_distance k;

	for (int i = 0; !l->dc[d][c].n; i++) {
		k = tape_distance_instead((enum tape_distance)d, i);
		if (k == TAPE_DISTANCES)
			break;
		if (l->dc[k][c].n)
			return &l->dc[k][c];
	}
	return &l->dc[d][c];
}

/* ---- two distances in one ---- */

static void join(struct tape_sampler *from, struct tape_sampler *to)
{
	for (uint32_t i = 0; i < from->n; i++)
		tape_sampler_add(to, from->value[i]);
	*from = (struct tape_sampler){0};
}

static void join_together(struct together *from, struct together *to)
{
	double second = fmin(from->n > 1 ? from->second_ns : INFINITY,
			     to->n > 1 ? to->second_ns : INFINITY);

	if (!from->n)
		return;
	if (!to->n) {
		*to = *from;
	} else {
		to->second_ns = fmin(second, fmax(from->ns, to->ns));
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
		join(&l->transit[from][protocol][c],
		     &l->transit[to][protocol][c]);
		join(&l->size[from][protocol][c], &l->size[to][protocol][c]);
		if (protocol) {
			join(&l->sender[from][c], &l->sender[to][c]);
			join(&l->sender_size[from][c], &l->sender_size[to][c]);
			continue;
		}
		join(&l->gap[from][c], &l->gap[to][c]);
		join(&l->dc[from][c], &l->dc[to][c]);
		join_together(&l->together[from][c], &l->together[to][c]);
		l->least_gap[to][c] =
		    fmin(l->least_gap[to][c], l->least_gap[from][c]);
	}
	if (!protocol)
		l->least[to] = fmin(l->least[to], l->least[from]);
}
