/* Keeps what messages tell; see comm.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm_learner.h"

void tape_sampler_add(struct tape_sampler *s, double v)
{
	s->seen++;
	if (!s->stride)
		s->stride = 1;
	if (++s->skip < s->stride)
		return;
	s->skip = 0;
	if (s->n == sizeof s->value / sizeof *s->value) {
		for (uint32_t i = 0; i < s->n / 2; i++)
			s->value[i] = s->value[2 * i];
		s->n /= 2;
		s->stride *= 2;
	}
	s->value[s->n++] = v;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double tape_sampler_quantile(const struct tape_sampler *s, double q)
{
	double v[sizeof s->value / sizeof *s->value], at;
	uint32_t i;

	if (!s->n)
		return NAN;
	memcpy(v, s->value, s->n * sizeof *v);
	qsort(v, s->n, sizeof *v, ascending);
	at = q * (s->n - 1);
	i = (uint32_t)at;
	return i + 1 < s->n ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[i];
}

struct tape_comm_learner *tape_comm_learner_new(void)
{
	struct tape_comm_learner *l = calloc(1, sizeof *l);

	for (int d = 0; l && d < TAPE_DISTANCES; d++)
		l->least[d] = INFINITY;
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

void tape_comm_learn(struct tape_comm_learner *l, const struct tape_parcel *p,
		     int64_t s, int64_t sr, int64_t er, int arrived)
{
	int c = tape_size_class(p->bytes), d = p->distance;
	double all = (double)(er - s);

	if (arrived) {
		tape_sampler_add(&l->dc[d][c], (double)(er - sr));
		return;
	}
	if (all < 0)
		return;
	l->least[d] = fmin(l->least[d], all);
	if ((double)(sr - s) > l->least[d])
		return;
	add_transit(l, p, all);
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
