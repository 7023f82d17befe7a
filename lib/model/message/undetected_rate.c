/*
 * The rates that bounds allow; see undetected_rate.h and doc/clocks-run.md.
 *
 * For a wave w the height of the widest corridor between the bounds minus A w
 * is concave in A, and positive for A = 0. So the amplitudes that the bounds
 * allow are an interval around 0, whose ends are found by bisection.
 */
#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "undetected_rate.h"

enum {
	CELLS = 256, /* stretches; the tightest bounds of each are used */
	WAVES = 6,   /* half periods */
	HALVINGS = 10
};

struct hidden {
	struct tape_corridor_bounds s; /* minus a wave */
	struct tape_corridor_bound *b; /* the same bounds without a wave */
	double from, length;
};

/*
 * Keeps the tightest bound of each cell and side, relative to the curve. Fewer
 * bounds allow more, so the result stays a limit.
 */
static void keep_tightest(struct hidden *h,
			  const struct tape_corridor_bounds *s,
			  const struct tape_corridor *curve)
{
	size_t last[2] = { 0, 0 };
	int cell[2] = { -1, -1 };

	for (size_t i = curve->first; i < curve->end; i++) {
		struct tape_corridor_bound b = s->b[i], *best;
		int c = (int)(CELLS * (b.x - h->from) / h->length);
		int side = b.upper != 0;

		b.v -= tape_corridor_at(curve, b.x);
		best = &h->b[last[side]];
		if (cell[side] == c) {
			/* its place in the order of time stays */
			if (b.upper ? b.v < best->v : b.v > best->v)
				best->v = b.v, best->x = b.x;
			continue;
		}
		cell[side] = c;
		last[side] = h->s.n;
		h->b[h->s.n++] = b;
	}
}

static double wave_at(const struct hidden *h, int halves, int cosine, double x)
{
	double angle = M_PI * halves * (x - h->from) / h->length;

	return sin(angle + (cosine ? M_PI / 2 : 0));
}

/* Returns 1 if a line plus this wave meets all bounds. */
static int is_allowed(struct hidden *h, int halves, int cosine, double size)
{
	struct tape_corridor w;

	for (size_t i = 0; i < h->s.n; i++) {
		h->s.b[i] = h->b[i];
		h->s.b[i].v -= size * wave_at(h, halves, cosine, h->b[i].x);
	}
	/* with too few bounds every wave is possible */
	return !tape_corridor_line(&h->s, 0, h->s.n, &w) || w.gap >= 0;
}

/* The largest amplitude, up to most, of a wave of this sign that is allowed. */
static double max_amplitude(struct hidden *h, int halves, int cosine,
			    double most, double sign)
{
	double good = 0, bad = most;

	if (is_allowed(h, halves, cosine, sign * most))
		return most;
	/* in steps of a factor: it may be much less than most */
	for (double a = most / 2; a > most * 1e-6; a /= 4) {
		if (is_allowed(h, halves, cosine, sign * a)) {
			good = a;
			break;
		}
		bad = a;
	}
	for (int i = 0; i < HALVINGS && bad - good > 0.02 * bad; i++) {
		double a = (good + bad) / 2;

		if (is_allowed(h, halves, cosine, sign * a))
			good = a;
		else
			bad = a;
	}
	return bad;
}

int tape_undetected_rate(const struct tape_corridor_bounds *s,
			 const struct tape_corridor *curve, double most,
			 double *rate)
{
	size_t n = curve->end - curve->first;
	struct tape_corridor_bound *room = malloc(4 * n * sizeof *room);
	struct hidden h = { .b = room,
			    .from = curve->from,
			    .length = curve->to - curve->from };

	if (!room)
		return TAPE_ENOMEM;
	h.s.b = room + n;
	h.s.room = room + 2 * n;
	keep_tightest(&h, s, curve);
	*rate = 0;
	for (int k = 1; k <= WAVES; k++)
		for (int way = 0; way < 4; way++) {
			double steep = M_PI * k / h.length;
			double a = max_amplitude(&h, k, way & 1, most / steep,
						 way & 2 ? -1 : 1);

			*rate = fmax(*rate, a * steep);
		}
	free(room);
	return 0;
}
