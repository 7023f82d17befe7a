/* Communication models; see comm.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"

struct tape_comm_learner {
	struct tape_sampler transit[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	struct tape_sampler size[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	struct tape_sampler dc[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	double least[TAPE_DISTANCES]; /* smallest er - s of a waiting receive */
};

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

static int size_class(uint64_t bytes)
{
	return bytes ? 64 - __builtin_clzll(bytes) : 0;
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

void tape_comm_learn(struct tape_comm_learner *l, const struct tape_parcel *p,
		     int64_t s, int64_t sr, int64_t er, int arrived)
{
	int c = size_class(p->bytes), d = p->distance;
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
	tape_sampler_add(&l->transit[d][c], all);
	tape_sampler_add(&l->size[d][c], (double)p->bytes);
}

/*
 * A median of n times of length y errs by about y / sqrt(n): so it weighs
 * n / y^2, and a few long ones among large messages cannot bend the line.
 */
static double weight(const struct tape_sampler *s, double y)
{
	double least = fmax(y, 1);

	return (double)s->seen / (least * least);
}

/* Medians of fewer are no better than the line through all classes. */
enum { ENOUGH = 30 };

static void fit_distance(const struct tape_comm_learner *l, int d,
			 struct tape_comm_model *m)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0;
	double cx[TAPE_SIZE_CLASSES], cy[TAPE_SIZE_CLASSES];
	double cw[TAPE_SIZE_CLASSES];

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		/* who waits has its caches warm: the quick ones count */
		double dc = tape_sampler_quantile(&l->dc[d][c], 0.1);

		cw[c] = 0;
		if (!l->transit[d][c].n)
			continue;
		m->messages[d] += l->transit[d][c].seen;
		cx[c] = tape_sampler_quantile(&l->size[d][c], 0.5);
		cy[c] = tape_sampler_quantile(&l->transit[d][c], 0.5);
		cy[c] = fmax(cy[c] - (isnan(dc) ? 0 : dc), 0);
		cw[c] = weight(&l->transit[d][c], cy[c]);
		w += cw[c];
		x += cw[c] * cx[c];
		y += cw[c] * cy[c];
	}
	if (!(w > 0))
		return;
	x /= w;
	y /= w;
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		if (!(cw[c] > 0))
			continue;
		xx += cw[c] * (cx[c] - x) * (cx[c] - x);
		xy += cw[c] * (cx[c] - x) * (cy[c] - y);
	}
	m->tau_ns[d] = xx > 0 ? fmax(xy / xx, 0) : 0;
	m->beta_ns[d] = fmax(y - m->tau_ns[d] * x, 0);
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		if (cw[c] > 0 && l->transit[d][c].seen >= ENOUGH)
			m->above_ns[d][c] = cy[c] - m->beta_ns[d] -
					    m->tau_ns[d] * cx[c];
	m->fitted[d] = 1;
}

/* A size class without a hand-over takes that of the nearest; none: 0. */
static void fill_dc(double *dc)
{
	double seen[TAPE_SIZE_CLASSES];

	memcpy(seen, dc, sizeof seen);
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		dc[c] = 0;
		for (int off = 0; off < TAPE_SIZE_CLASSES; off++) {
			if (c - off >= 0 && !isnan(seen[c - off])) {
				dc[c] = seen[c - off];
				break;
			}
			if (c + off < TAPE_SIZE_CLASSES &&
			    !isnan(seen[c + off])) {
				dc[c] = seen[c + off];
				break;
			}
		}
	}
}

void tape_comm_fit(const struct tape_comm_learner *l, struct tape_comm_model *m)
{
	int any = -1;

	memset(m, 0, sizeof *m);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
			m->dc_ns[d][c] = tape_sampler_quantile(&l->dc[d][c],
							       0.5);
		fit_distance(l, d, m);
		if (m->fitted[d])
			any = d;
		fill_dc(m->dc_ns[d]);
	}
	for (int d = 0; any >= 0 && d < TAPE_DISTANCES; d++)
		if (!m->fitted[d]) {
			m->beta_ns[d] = m->beta_ns[any];
			m->tau_ns[d] = m->tau_ns[any];
			memcpy(m->above_ns[d], m->above_ns[any],
			       sizeof m->above_ns[d]);
		}
}

double tape_comm_transit(const struct tape_comm_model *m,
			 const struct tape_parcel *p)
{
	int d = p->distance;

	return fmax(m->beta_ns[d] + m->tau_ns[d] * (double)p->bytes +
			    m->above_ns[d][size_class(p->bytes)], 0);
}

void tape_comm_parts(const struct tape_comm_model *m,
		     const struct tape_parcel *p, double *latency_ns,
		     double *work_ns)
{
	double all = tape_comm_transit(m, p);

	*work_ns = fmin(m->tau_ns[p->distance] * (double)p->bytes, all);
	*latency_ns = all - *work_ns;
}

double tape_comm_dc(const struct tape_comm_model *m,
		    const struct tape_parcel *p)
{
	return m->dc_ns[p->distance][size_class(p->bytes)];
}
