/*
 * Fits a communication model to the samples of a learner; see comm.h. The rules
 * are Tape's own: doc/perturbation.md, "The communication model".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm_learner.h"
#include "quantile.h"

/* Sums over the classes that have messages, around their weighted means. */
struct sums {
	double w, x, y, xx, xy;
};

static struct sums sum_up(const struct tape_comm_points *p)
{
	struct sums s = { 0 };

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		if (!(p->weight[c] > 0))
			continue;
		s.w += p->weight[c];
		s.x += p->weight[c] * p->bytes[c];
		s.y += p->weight[c] * p->ns[c];
	}
	s.x /= s.w;
	s.y /= s.w;
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		double x = p->bytes[c] - s.x;

		if (!(p->weight[c] > 0))
			continue;
		s.xx += p->weight[c] * x * x;
		s.xy += p->weight[c] * x * (p->ns[c] - s.y);
	}
	return s;
}

/*
 * The misfit of the line: the mean square distance of the quartiles from it, in
 * units of their errors, at least 1.
 */
static double misfit_factor(const struct tape_comm_points *p,
			    const struct sums *s, double rate)
{
	double square = 0;
	int n = 0;

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		double off = p->ns[c] - s->y - rate * (p->bytes[c] - s->x);

		if (!(p->weight[c] > 0))
			continue;
		n++;
		square += p->weight[c] * off * off;
	}
	return n > 2 ? fmax(square / (n - 2), 1) : 1;
}

/*
 * The rate of the line through all messages; NAN if undetermined. The weights
 * are the inverse squares of the errors of the quartiles, so the error of the
 * rate is about 1 / sqrt(xx), that of least squares (Chamberlain, Advances in
 * Econometrics 6, 1994), times the root of the misfit.
 */
static double fitted_rate(const struct tape_comm_learner *l, int d,
			  int protocol, const struct tape_comm_points *p)
{
	struct sums s = sum_up(p);
	double rate = tape_comm_points_rate(l, d, protocol, p);

	/* for one size the sum consists of rounding errors */
	if (isnan(rate) || !(s.xx > 1e-12 * s.w * s.x * s.x))
		return NAN;
	return rate * sqrt(s.xx / misfit_factor(p, &s, rate)) > 2 ? rate : NAN;
}

/* The line of that rate; neither beta nor tau is negative. */
static void fit_line(const struct tape_comm_learner *l, int d, int protocol,
		     const struct tape_comm_points *p, double rate,
		     struct tape_comm_line *line)
{
	struct sums s = sum_up(p);
	double square = 0;

	line->tau_ns = fmin(rate, s.x > 0 ? s.y / s.x : INFINITY);
	line->beta_ns = fmax(tape_comm_points_height(l, d, protocol, p,
						     line->tau_ns), 0);
	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		double at = line->beta_ns + line->tau_ns * p->bytes[c];

		if (!(p->weight[c] > 0))
			continue;
		line->classes++;
		square += (p->ns[c] - at) * (p->ns[c] - at) /
			  fmax(p->ns[c] * p->ns[c], 1);
	}
	line->off = sqrt(square / line->classes);
}

/*
 * The piece of a class with enough messages: the height of its quartile at the
 * line's rate. It gets a rate of its own if Schwarz's criterion supports one
 * more parameter: the logarithm of the loss falls by more than log(n) / 2n
 * (Lee, Noh and Park, J. American Statistical Association 109, 2014). Large
 * residuals are limited, else disturbed messages would dominate the loss. No
 * time is negative.
 */
static struct tape_piece own_piece(const struct tape_comm_learner *l, int d,
				   int protocol, int c, double dc_ns,
				   double rate)
{
	static const double q = TAPE_COMM_QUICK;
	struct tape_quantile_point p[TAPE_SAMPLER_MOST];
	struct tape_piece own, piece = { .rate = rate };
	struct tape_comm_sample s;
	double gain, most, from = c ? ldexp(1, c - 1) : 0;

	tape_comm_sample(l, d, protocol, c, &s);
	for (size_t i = 0; i < s.n; i++)
		p[i] = (struct tape_quantile_point){
			.x = s.bytes[i], .y = s.ns[i] - dc_ns, .weight = 1 };
	piece.ns = tape_quantile_height(p, s.n, q, rate);
	tape_quantile_line(p, s.n, q, &own.ns, &own.rate);
	most = tape_quantile_height(p, s.n, 1.5 * q, rate) - piece.ns;
	gain = log(tape_quantile_loss(p, s.n, q, piece.ns, piece.rate, most)) -
	       log(tape_quantile_loss(p, s.n, q, own.ns, own.rate, most));
	if (own.rate >= 0 && own.ns + own.rate * from >= 0 &&
	    gain > log((double)s.n) / 2 / (double)s.n)
		piece = own;
	piece.ns = fmax(piece.ns, -piece.rate * from);
	piece.from_bytes = from;
	return piece;
}

/* Makes the curve: the line, or the own piece of a class with messages. */
static void add_class_pieces(const struct tape_comm_learner *l, int d,
			     int protocol, const struct tape_comm_points *p,
			     struct tape_comm_model *m)
{
	const struct tape_comm_line *line = &m->line[d][protocol];

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++) {
		struct tape_piece piece = { c ? ldexp(1, c - 1) : 0,
					    line->beta_ns, line->tau_ns };

		if (p->kept[c] && p->seen[c] >= TAPE_COMM_FEW) {
			m->class_[d][protocol][c] = (struct tape_comm_class){
				p->kept[c], p->dc_ns[c] };
			piece = own_piece(l, d, protocol, c, p->dc_ns[c],
					  line->tau_ns);
		}
		tape_curve_add(&m->transit[d][protocol], piece.from_bytes,
			       piece.ns, piece.rate);
	}
}

/* ns per byte: ten times slower than a copy, or than the slowest network. */
static double slowest_rate(int d)
{
	return 10 * (tape_transport((enum tape_distance)d) == TAPE_NET
			 ? TAPE_NET_RATE
			 : TAPE_COPY_RATE);
}

/* Quartiles are on no line if their relative distance exceeds this. */
static const double scattered = 0.25;

/* The fitted rate; NAN if implausible and the quartiles are on no line. */
static double credible_rate(const struct tape_comm_learner *l, int d,
			    int protocol, const struct tape_comm_points *p)
{
	struct tape_comm_line line = { 0 };
	double rate = fitted_rate(l, d, protocol, p);

	if (isnan(rate))
		return NAN;
	fit_line(l, d, protocol, p, rate, &line);
	return rate > slowest_rate(d) && line.off > scattered ? NAN : rate;
}

/* The points and rates of each distance and protocol. */
struct evidence {
	struct tape_comm_points p[TAPE_DISTANCES][2];
	double rate[TAPE_DISTANCES][2]; /* NAN: none */
};

static uint64_t total_messages(const struct tape_comm_points *p)
{
	uint64_t n = 0;

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		n += (uint64_t)llrint(p->seen[c]);
	return n;
}

static void collect_evidence(const struct tape_comm_learner *l,
			     struct evidence *e, struct tape_comm_model *m)
{
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int protocol = 0; protocol < 2; protocol++) {
			struct tape_comm_line *line = &m->line[d][protocol];
			struct tape_comm_points *p = &e->p[d][protocol];

			e->rate[d][protocol] = NAN;
			if (!tape_comm_points(l, d, protocol, p))
				continue;
			line->messages = total_messages(p);
			if (line->messages >= TAPE_COMM_FEW)
				e->rate[d][protocol] =
				    credible_rate(l, d, protocol, p);
		}
}

/* The time of messages of this size and more is proportional to the size. */
enum { LARGE = 4096 };

/*
 * The rate of rendezvous without any better source: time proportional to the
 * size for one class of large messages, the line for several classes, 0 for
 * small messages.
 */
static double rate_of_large(const struct tape_comm_points *p)
{
	struct sums s = sum_up(p);
	double largest = 0, y = 0;
	int classes = 0;

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		if (p->weight[c] > 0) {
			classes++;
			largest = p->bytes[c];
			y = p->ns[c];
		}
	if (largest < LARGE)
		return 0;
	return classes == 1 ? y / largest : fmax(s.xy / s.xx, 0);
}

static int next_substitute(int d, int i)
{
	return (int)tape_distance_substitute((enum tape_distance)d, i);
}

/* The own rate if it is credible, else that of another line. */
static double choose_rate(const struct evidence *e, int d, int protocol,
			  enum tape_comm_rate *from)
{
	double own = e->rate[d][protocol], other = e->rate[d][!protocol];
	const struct tape_comm_points *p = &e->p[d][protocol];

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
	for (int i = 0, k; (k = next_substitute(d, i)) < TAPE_DISTANCES; i++)
		if (!isnan(e->rate[k][protocol]))
			return e->rate[k][protocol];
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
	fit_line(l, d, protocol, &e->p[d][protocol],
		 choose_rate(e, d, protocol, &line->rate), line);
	line->suspect = line->tau_ns > slowest_rate(d);
	add_class_pieces(l, d, protocol, &e->p[d][protocol], m);
}

/* A size class without DC takes that of the nearest class. */
static void fit_dc(const struct tape_comm_learner *l, int d,
		   struct tape_curve *dc)
{
	double seen[TAPE_SIZE_CLASSES];

	for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
		seen[c] =
		    tape_sampler_quantile(tape_comm_dc_sample(l, d, c), 0.5);
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

static void copy_line(struct tape_comm_model *m, int d, int protocol,
		      int from_d, int from_protocol)
{
	m->line[d][protocol] = m->line[from_d][from_protocol];
	m->line[d][protocol].fitted = 0;
	m->line[d][protocol].messages = 0;
	m->transit[d][protocol] = m->transit[from_d][from_protocol];
}

/* The distance, other than but, with most eager messages; -1: none. */
static int busiest_other(const struct tape_comm_model *m, int but)
{
	int most = -1;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		if (d != but && m->line[d][0].messages &&
		    (most < 0 ||
		     m->line[d][0].messages > m->line[most][0].messages))
			most = d;
	return most;
}

/*
 * Returns 1 if there are too few messages for a fit of this distance and
 * protocol and another class can replace it.
 */
static int needs_substitute(const struct tape_comm_model *m, int d,
			    int protocol)
{
	uint64_t n = m->line[d][protocol].messages;
	int other = busiest_other(m, d);

	if (!n || n >= TAPE_COMM_FEW)
		return !n;
	if (protocol && m->line[d][0].messages >= TAPE_COMM_FEW)
		return 1;
	return other >= 0 && m->line[other][0].messages >= TAPE_COMM_FEW;
}

/* The first substitute distance with enough messages, or -1. */
static int find_substitute(int few[TAPE_DISTANCES][2], int d, int protocol)
{
	for (int i = 0, k; (k = next_substitute(d, i)) < TAPE_DISTANCES; i++)
		if (!few[k][protocol])
			return k;
	return -1;
}

static uint64_t count_messages(const struct tape_comm_learner *l, int d,
			       int protocol)
{
	struct tape_comm_points p;

	return tape_comm_points(l, d, protocol, &p) ? total_messages(&p) : 0;
}

/*
 * Joins the distances of a transport to the widest if all have few messages:
 * their differences would be noise.
 */
static void join_few(struct tape_comm_learner *l, int widest, int protocol)
{
	int few = 1, k;

	for (int i = 0; (k = next_substitute(widest, i)) < TAPE_DISTANCES; i++)
		few &= count_messages(l, k, protocol) < TAPE_COMM_FEW;
	if (!few || count_messages(l, widest, protocol) >= TAPE_COMM_FEW)
		return;
	for (int i = 0; (k = next_substitute(widest, i)) < TAPE_DISTANCES; i++)
		tape_comm_join(l, k, widest, protocol);
}

int tape_comm_fit(struct tape_comm_learner *l, struct tape_comm_model *m)
{
	struct evidence e;
	int few[TAPE_DISTANCES][2];

	for (int protocol = 0; protocol < 2; protocol++) {
		join_few(l, TAPE_SHM, protocol);
		join_few(l, TAPE_NET, protocol);
	}
	memset(m, 0, sizeof *m);
	collect_evidence(l, &e, m);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		for (int protocol = 0; protocol < 2; protocol++) {
			few[d][protocol] = needs_substitute(m, d, protocol);
			if (!few[d][protocol])
				fit_transit(l, &e, d, protocol, m);
		}
		fit_dc(l, d, &m->dc[d]);
		m->quantile[d] = TAPE_COMM_QUICK;
	}
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		int other = find_substitute(few, d, 0);

		if (other < 0)
			other = busiest_other(m, d);
		if (few[d][0] && other >= 0 && !few[other][0])
			copy_line(m, d, 0, other, 0);
	}
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		int other = find_substitute(few, d, 1);

		if (few[d][1])
			copy_line(m, d, 1, other < 0 ? d : other, other >= 0);
	}
	return l->no_memory ? -1 : 0;
}
