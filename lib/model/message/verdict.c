/* The test of a communication model; see verdict.h and doc/model-test.md. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include "verdict.h"

enum { PLACES = TAPE_DISTANCES * 2 * TAPE_SIZE_CLASSES };

void tape_moments_add(struct tape_moments *m, double v)
{
	double apart = v - m->mean, step, square;

	m->least = m->n ? fmin(m->least, v) : v;
	m->most = m->n ? fmax(m->most, v) : v;
	m->n++;
	step = apart / (double)m->n;
	square = apart * step * (double)(m->n - 1);
	m->mean += step;
	m->m3 += square * step * ((double)m->n - 2) - 3 * step * m->m2;
	m->m2 += square;
}

double tape_moments_variance(const struct tape_moments *m)
{
	return m->n > 1 ? m->m2 / (double)(m->n - 1) : 0;
}

/* The unbiased third cumulant (k-statistic; Fisher 1929). */
static double third_cumulant(const struct tape_moments *m)
{
	double n = (double)m->n;

	return n > 2 ? n * m->m3 / ((n - 1) * (n - 2)) : 0;
}

void tape_verdict_reset(struct tape_verdict *v)
{
	struct tape_verdict_class *c = &v->c[0][0][0];

	/* all but the values in the samples */
	for (int at = 0; at < PLACES; at++, c++) {
		memset(c, 0, offsetof(struct tape_verdict_class, sample));
		c->sample.n = c->sample.level = 0;
		c->sample.seen = 0;
	}
	v->classes = v->rejected = 0;
	v->decision = TAPE_UNDECIDED;
}

static struct tape_verdict_class *message_class(struct tape_verdict *v,
						const struct tape_parcel *p)
{
	return &v->c[p->distance][p->rendezvous != 0]
		    [tape_size_class(p->bytes)];
}

void tape_verdict_time(struct tape_verdict *v, const struct tape_parcel *p,
		       double time_ns, double transit_ns)
{
	struct tape_verdict_class *c = message_class(v, p);

	tape_moments_add(&c->time, time_ns);
	tape_moments_add(&c->model, transit_ns);
	tape_moments_add(&c->residual, time_ns - transit_ns);
}

void tape_verdict_quantile(struct tape_verdict *v, const struct tape_parcel *p,
			   double time_ns, double transit_ns,
			   const struct tape_verdict_claim *claim)
{
	struct tape_verdict_class *c = message_class(v, p);
	double e = time_ns - claim->dc_ns - transit_ns;

	tape_verdict_time(v, p, time_ns, transit_ns);
	c->claim = *claim;
	c->quicker += e < -TAPE_VERDICT_ROUNDING_NS;
	c->no_slower += e <= TAPE_VERDICT_ROUNDING_NS;
	tape_sampler_add(&c->sample, e);
}

void tape_verdict_dc(struct tape_verdict *v, const struct tape_parcel *p,
		     double dc_ns)
{
	tape_moments_add(&message_class(v, p)->dc, dc_ns);
}

/* ---- one class ---- */

/* DC of the size class nearest to at with enough values, or NULL. */
static const struct tape_moments *
nearest_dc(const struct tape_verdict_class *class_, int at)
{
	for (int off = 0; off < TAPE_SIZE_CLASSES; off++)
		for (int way = -1; way <= 1; way += 2) {
			int i = at + way * off;

			if (i >= 0 && i < TAPE_SIZE_CLASSES &&
			    class_[i].dc.n > TAPE_VERDICT_FEW)
				return &class_[i].dc;
		}
	return NULL;
}

/* v^2 / (n - 1), v being the variance of the mean (Satterthwaite 1946). */
static double freedom_part(const struct tape_moments *m, double v)
{
	return v * v / (double)(m->n - 1);
}

/*
 * Hall's transformation (1992), with the skewness a of the mean in place of
 * that of one value over the root of n: t + a t^2 / 3 + a^2 t^3 / 27 + a / 6.
 * It grows with t everywhere, so a larger deviation is never accepted more
 * easily.
 */
static double remove_skewness(double t, double a)
{
	return t + a * t * t / 3 + a * a * t * t * t / 27 + a / 6;
}

/*
 * Tests the share of messages that are no slower than the model. Messages
 * within rounding count in favour of the model.
 */
static void test_share(struct tape_verdict_class *c, double level)
{
	uint64_t fitted = c->claim.fitted;
	double n = (double)c->residual.n, q = c->claim.quantile;
	double each = 1 / n + (fitted ? 1 / (double)fitted : 0);

	c->share = fmin(fmax(q, (double)c->quicker / n),
			(double)c->no_slower / n);
	c->quantile_ns = tape_sampler_quantile(&c->sample, q);
	c->mean_ns = c->residual.mean - c->dc_ns;
	c->freedom = n - 1;
	c->k = gsl_cdf_tdist_Qinv(level / 2, c->freedom);
	/* too many are quicker where the model is too slow */
	c->t = c->t_even = (q - c->share) / sqrt(q * (1 - q) * each);
	c->p = 2 * gsl_cdf_tdist_Q(fabs(c->t), c->freedom);
	c->alone = c->p < level ? TAPE_REJECTED : TAPE_ACCEPTED;
}

/* Tests the mean of the residuals; dc NULL: unknown. */
static void test_mean(struct tape_verdict_class *c,
		      const struct tape_moments *dc, double level)
{
	double n = (double)c->residual.n;
	double v = tape_moments_variance(&c->residual) / n, w = 0;
	double cubes = third_cumulant(&c->residual) / (n * n);
	double parts = freedom_part(&c->residual, v);

	if (dc) {
		w = tape_moments_variance(dc) / (double)dc->n;
		cubes -= third_cumulant(dc) / ((double)dc->n * (double)dc->n);
		parts += freedom_part(dc, w);
	}
	c->mean_ns = c->residual.mean - c->dc_ns;
	c->error_ns = sqrt(v + w);
	c->freedom = parts > 0 ? (v + w) * (v + w) / parts : n - 1;
	c->k = gsl_cdf_tdist_Qinv(level / 2, c->freedom);
	if (c->error_ns > 0) {
		c->t = c->mean_ns / c->error_ns;
		c->t_even = remove_skewness(c->t, cubes / pow(c->error_ns, 3));
	} else if (c->mean_ns != 0) {
		c->t = c->t_even = copysign(INFINITY, c->mean_ns);
	}
	if (fabs(c->mean_ns) <= TAPE_VERDICT_ROUNDING_NS)
		c->p = 1;
	else if (isinf(c->t_even))
		c->p = 0;
	else
		c->p = 2 * gsl_cdf_tdist_Q(fabs(c->t_even), c->freedom);
	c->alone = c->p < level ? TAPE_REJECTED : TAPE_ACCEPTED;
}

/* ---- all of them ---- */

/*
 * Holm (1979): of k classes the least p is multiplied by k, the next by k - 1,
 * and so on; no result is less than the one before.
 */
static void decide_by_holm(struct tape_verdict *v,
			   struct tape_verdict_class *const *class_,
			   const double *p, double level)
{
	size_t k = (size_t)v->classes, order[PLACES];
	double least = 0;

	gsl_sort_index(order, p, 1, k);
	for (size_t i = 0; i < k; i++) {
		struct tape_verdict_class *c = class_[order[i]];

		least = fmax(least, fmin((double)(k - i) * c->p, 1));
		c->p_all = least;
		c->decision = least < level ? TAPE_REJECTED : TAPE_ACCEPTED;
		v->rejected += c->decision == TAPE_REJECTED;
	}
}

enum tape_decision tape_verdict_decide(struct tape_verdict *v, double level)
{
	struct tape_verdict_class *tested[PLACES];
	double p[PLACES];

	v->classes = v->rejected = 0;
	for (int at = 0; at < PLACES; at++) {
		int d = at / (2 * TAPE_SIZE_CLASSES);
		int rendezvous = at / TAPE_SIZE_CLASSES % 2;
		int size = at % TAPE_SIZE_CLASSES;
		struct tape_verdict_class *c = &v->c[d][rendezvous][size];

		int claims = c->claim.quantile > 0;
		const struct tape_moments *dc =
		    rendezvous || claims ? NULL : nearest_dc(v->c[d][0], size);

		c->dc_ns = dc ? dc->mean : c->claim.dc_ns;
		c->dc_seen = dc ? dc->n : 0;
		if (c->residual.n <= TAPE_VERDICT_FEW)
			continue;
		if (claims)
			test_share(c, level);
		else
			test_mean(c, dc, level);
		tested[v->classes] = c;
		p[v->classes++] = c->p;
	}
	decide_by_holm(v, tested, p, level);
	v->decision = !v->classes ? TAPE_UNDECIDED
		      : v->rejected ? TAPE_REJECTED : TAPE_ACCEPTED;
	return v->decision;
}
