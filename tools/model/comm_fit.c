/* Fits a communication model to what a learner keeps; see comm.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm_learner.h"

/*
 * How much a time y that n messages tell errs: nothing else being known, as
 * much as one of n that scatter by as much as they are long. Where they agree
 * with each other it is by as much as they do not; but a few that happened one
 * after the other agree by what they have in common, too. So no less than a
 * sixth.
 */
static double error_of(uint64_t n, double y, double apart)
{
	double least = fmax(y, 1);

	return fmin(least / sqrt((double)n), fmax(apart, least / 6));
}

/*
 * Of a median: sqrt(pi / 2) sigma / sqrt(n) of normal times, sigma by the
 * quantiles that are as far apart as two of it. A few long ones among large
 * messages cannot bend the line, for these weigh less.
 */
static double weight(const struct tape_sampler *s, double y)
{
	double sigma = (tape_sampler_quantile(s, 0.84) -
			tape_sampler_quantile(s, 0.16)) / 2;
	double apart = s->seen > 2 ? 1.25 * sigma / sqrt((double)s->seen)
				   : INFINITY;
	double e = error_of(s->seen, y, apart);

	return 1 / (e * e);
}

/* Medians of fewer are no better than the line through all classes. */
enum { ENOUGH = 30 };

/* A median of each size class, and its weight; 0: the class has none. */
struct medians {
	double x[TAPE_SIZE_CLASSES], y[TAPE_SIZE_CLASSES];
	double w[TAPE_SIZE_CLASSES];
};

/*
 * What of the time of a message that was waited for is DC. Who waits has warm
 * caches: the quick tenth of the others counts. And it is no more than half of
 * the least time that a message of the class ever took: it is the second copy,
 * and the transit has the first one in it. Without that bound a DC seen on a
 * busy machine would leave nothing for the transit.
 */
static double quick_dc(const struct tape_sampler *dc,
		       const struct tape_sampler *all)
{
	double quick = tape_sampler_quantile(dc, 0.1);

	if (isnan(quick))
		return 0;
	return fmin(quick, tape_sampler_quantile(all, 0) / 2);
}

/*
 * Where none of a class was alone the quickest of those that were not: it may
 * have waited for others, but no other says as much. It errs by about what the
 * next one took longer (the spacings of an exponential's least values; Renyi
 * 1953).
 */
static int quickest(const struct tape_comm_learner *l, int d, int c,
		    struct medians *p)
{
	const struct together *t = &l->together[d][c];
	double e;

	if (!t->n)
		return 0;
	p->x[c] = t->bytes;
	p->y[c] = t->ns;
	if (l->dc[d][c].n)
		p->y[c] -= fmin(tape_sampler_quantile(&l->dc[d][c], 0.1),
				t->ns / 2);
	e = error_of(t->n, t->ns, t->second_ns - t->ns);
	p->w[c] = 1 / (e * e);
	return 1;
}

/* Returns the number of classes that have any. */
static int find_medians(const struct tape_comm_learner *l, int d, int protocol,
			struct medians *p)
{
	int n = 0;

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		const struct tape_sampler *t = &l->transit[d][protocol][c];

		p->w[c] = 0;
		if (!t->n) {
			n += !protocol && quickest(l, d, c, p);
			continue;
		}
		n++;
		p->x[c] = tape_sampler_quantile(&l->size[d][protocol][c], 0.5);
		p->y[c] = tape_sampler_quantile(t, 0.5);
		if (!protocol)
			p->y[c] -= quick_dc(&l->dc[d][c], t);
		p->w[c] = weight(t, p->y[c]);
	}
	return n;
}

/* Sums over the classes that have messages, around their weighted means. */
struct sums {
	double w, x, y, xx, xy;
};

static struct sums sum_up(const struct medians *p)
{
	struct sums s = { 0 };

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		if (!(p->w[c] > 0))
			continue;
		s.w += p->w[c];
		s.x += p->w[c] * p->x[c];
		s.y += p->w[c] * p->y[c];
	}
	s.x /= s.w;
	s.y /= s.w;
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		if (!(p->w[c] > 0))
			continue;
		s.xx += p->w[c] * (p->x[c] - s.x) * (p->x[c] - s.x);
		s.xy += p->w[c] * (p->x[c] - s.x) * (p->y[c] - s.y);
	}
	return s;
}

/*
 * By how much more the medians are off the line than they err by themselves:
 * the mean square in units of their errors, 1 or more.
 */
static double scatter(const struct medians *p, const struct sums *s,
		      double rate)
{
	double square = 0;
	int n = 0;

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		double off = p->y[c] - s->y - rate * (p->x[c] - s->x);

		if (!(p->w[c] > 0))
			continue;
		n++;
		square += p->w[c] * off * off;
	}
	return n > 2 ? fmax(square / (n - 2), 1) : 1;
}

/*
 * The rate of least weighted squares; NAN where nothing tells one. The weights
 * are the inverse squares of the errors of the medians, so its own error would
 * be 1 / sqrt(xx), were they not off the line by more.
 */
static double fitted_rate(const struct medians *p)
{
	struct sums s = sum_up(p);
	double rate = s.xy / s.xx;

	/* of one size the sum is nothing but rounding errors */
	if (!(s.xx > 1e-12 * s.w * s.x * s.x))
		return NAN;
	return rate * sqrt(s.xx / scatter(p, &s, rate)) > 2 ? rate : NAN;
}

/* The line of that rate; neither beta nor tau is negative. */
static void fit_line(const struct medians *p, double rate,
		     struct tape_comm_line *line)
{
	struct sums s = sum_up(p);
	double square = 0;

	line->tau_ns = fmin(rate, s.x > 0 ? s.y / s.x : INFINITY);
	line->beta_ns = fmax(s.y - line->tau_ns * s.x, 0);
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		double at = line->beta_ns + line->tau_ns * p->x[c];

		if (!(p->w[c] > 0))
			continue;
		line->classes++;
		square += (p->y[c] - at) * (p->y[c] - at) /
			  fmax(p->y[c] * p->y[c], 1);
	}
	line->off = sqrt(square / line->classes);
}

/* The line alone; with a class's own distance from it where that is known. */
static void draw(const struct tape_comm_learner *l, int d, int protocol,
		 const struct medians *p, struct tape_comm_model *m)
{
	const struct tape_comm_line *line = &m->line[d][protocol];
	struct tape_curve *curve = &m->transit[d][protocol];

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		const struct tape_sampler *t = &l->transit[d][protocol][c];
		double above = 0;

		if (p->w[c] > 0 && t->seen >= ENOUGH)
			above = p->y[c] - line->beta_ns -
				line->tau_ns * p->x[c];
		tape_curve_add(curve, c ? ldexp(1, c - 1) : 0,
			       line->beta_ns + above, line->tau_ns);
	}
}

/* ns per byte: slower than that is nothing that is known of. */
static double slowest(int d)
{
	return 10 * (d == TAPE_NET ? TAPE_NET_RATE : TAPE_COPY_RATE);
}

/* Medians further off their line than that, relative to them, are on none. */
static const double scattered = 0.25;

/* A rate that is slower than any by medians that are on no line: is none. */
static double believed(const struct medians *p, int d)
{
	struct tape_comm_line line = { 0 };
	double rate = fitted_rate(p);

	if (isnan(rate))
		return NAN;
	fit_line(p, rate, &line);
	return rate > slowest(d) && line.off > scattered ? NAN : rate;
}

/* What the messages of each distance and protocol tell. */
struct evidence {
	struct medians p[TAPE_DISTANCES][2];
	double rate[TAPE_DISTANCES][2]; /* NAN: none */
};

/* On how many messages of a class does the fit stand? */
static uint64_t messages(const struct tape_comm_learner *l, int d, int protocol,
			 int c)
{
	const struct tape_sampler *t = &l->transit[d][protocol][c];

	return t->n || protocol ? t->seen : l->together[d][c].n;
}

static void gather(const struct tape_comm_learner *l, struct evidence *e,
		   struct tape_comm_model *m)
{
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int protocol = 0; protocol < 2; protocol++) {
			struct tape_comm_line *line = &m->line[d][protocol];
			struct medians *p = &e->p[d][protocol];

			e->rate[d][protocol] = NAN;
			if (!find_medians(l, d, protocol, p))
				continue;
			for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
				line->messages += messages(l, d, protocol, c);
			if (line->messages >= TAPE_COMM_FEW)
				e->rate[d][protocol] = believed(p, d);
		}
}

/* Messages of that size and more take as long as they are large. */
enum { LARGE = 4096 };

/*
 * What rendezvous tell for want of anything better: large ones of one class are
 * taken for proportional to their size, and of several the line will do. 0 of
 * small ones.
 */
static double rate_of_large(const struct medians *p)
{
	struct sums s = sum_up(p);
	double largest = 0, y = 0;
	int classes = 0;

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		if (p->w[c] > 0) {
			classes++;
			largest = p->x[c];
			y = p->y[c];
		}
	if (largest < LARGE)
		return 0;
	return classes == 1 ? y / largest : fmax(s.xy / s.xx, 0);
}

/* A rate of its own if there is one to believe, else another's. */
static double choose_rate(const struct evidence *e, int d, int protocol,
			  enum tape_comm_rate *from)
{
	double own = e->rate[d][protocol], other = e->rate[d][!protocol];
	const struct medians *p = &e->p[d][protocol];

	*from = TAPE_RATE_FITTED;
	if (!isnan(own) && !(own > 10 * other))
		return own;
	*from = TAPE_RATE_PROTOCOL;
	if (!isnan(other))
		return other;
	*from = TAPE_RATE_FITTED;
	if (protocol && rate_of_large(p) > 0)
		return rate_of_large(p);
	*from = TAPE_RATE_DISTANCE;
	for (int k = 0; k < TAPE_DISTANCES; k++)
		for (int q = 0; q < 2; q++)
			if (k != d && !isnan(e->rate[k][q ^ protocol]))
				return e->rate[k][q ^ protocol];
	*from = TAPE_RATE_NONE;
	return 0;
}

static void fit_transit(const struct tape_comm_learner *l,
			const struct evidence *e, int d, int protocol,
			struct tape_comm_model *m)
{
	struct tape_comm_line *line = &m->line[d][protocol];

	line->fitted = 1;
	fit_line(&e->p[d][protocol],
		 choose_rate(e, d, protocol, &line->rate), line);
	line->suspect = line->tau_ns > slowest(d);
	draw(l, d, protocol, &e->p[d][protocol], m);
}

/* A size class without a hand-over takes that of the nearest. */
static void fit_dc(const struct tape_comm_learner *l, int d,
		   struct tape_curve *dc)
{
	double seen[TAPE_SIZE_CLASSES];

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		seen[c] = tape_sampler_quantile(&l->dc[d][c], 0.5);
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		double nearest = 0;

		for (int off = TAPE_SIZE_CLASSES - 1; off >= 0; off--) {
			if (c + off < TAPE_SIZE_CLASSES &&
			    !isnan(seen[c + off]))
				nearest = seen[c + off];
			if (c - off >= 0 && !isnan(seen[c - off]))
				nearest = seen[c - off];
		}
		tape_curve_add(dc, c ? ldexp(1, c - 1) : 0, nearest, 0);
	}
}

static void take_line(struct tape_comm_model *m, int d, int protocol,
		      int from_d, int from_protocol)
{
	m->line[d][protocol] = m->line[from_d][from_protocol];
	m->line[d][protocol].fitted = 0;
	m->line[d][protocol].messages = 0;
	m->transit[d][protocol] = m->transit[from_d][from_protocol];
}

/* The distance, but for one, of which most messages without waiting are. */
static int nearby(const struct tape_comm_model *m, int but)
{
	int most = -1;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		if (d != but && m->line[d][0].messages &&
		    (most < 0 ||
		     m->line[d][0].messages > m->line[most][0].messages))
			most = d;
	return most;
}

/* Is what tells of them too little to do without others? */
static int too_few(const struct tape_comm_model *m, int d, int protocol)
{
	uint64_t n = m->line[d][protocol].messages;
	int other = nearby(m, d);

	if (!n || n >= TAPE_COMM_FEW)
		return !n;
	if (protocol && m->line[d][0].messages >= TAPE_COMM_FEW)
		return 1;
	return other >= 0 && m->line[other][0].messages >= TAPE_COMM_FEW;
}

void tape_comm_fit(const struct tape_comm_learner *l, struct tape_comm_model *m)
{
	struct evidence e;
	int few[TAPE_DISTANCES][2];

	memset(m, 0, sizeof *m);
	gather(l, &e, m);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		for (int protocol = 0; protocol < 2; protocol++) {
			few[d][protocol] = too_few(m, d, protocol);
			if (!few[d][protocol])
				fit_transit(l, &e, d, protocol, m);
		}
		fit_dc(l, d, &m->dc[d]);
	}
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		int other = nearby(m, d);

		if (few[d][0] && other >= 0 && !few[other][0])
			take_line(m, d, 0, other, 0);
	}
	for (int d = 0; d < TAPE_DISTANCES; d++)
		if (few[d][1])
			take_line(m, d, 1, d, 0);
}
