/*
 * Draws each clock. Upper panel: its offset minus a straight line. Lower panel:
 * its bounds minus its track, with the guaranteed interval around 0. No
 * external parts, colours for light and dark backgrounds. See plot.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "file_output.h"
#include "tool.h"
#include "plot.h"
#include "clock_report.h"
#include "svg.h"

enum {
	WIDTH = 960, LEFT = 90, RIGHT = 20, /* of a panel: LEFT to PLOT_END */
	PLOT_END = WIDTH - RIGHT,
	COLUMNS = (PLOT_END - LEFT) / 2,    /* each shows the tightest bound */
	TOP = 58, HEIGHT = 230, GAP = 62,
	PAGE = TOP + 2 * HEIGHT + GAP + 80
};

enum kind { ROUND_UPPER, ROUND_LOWER, MESSAGE_UPPER, MESSAGE_LOWER, KINDS };

/* A bound of the clock, one of each kind in a column. */
struct bound {
	double x, offset;
	int there;
};

struct picture {
	FILE *f;
	const struct clocks *k;
	const struct tape_clock_track *t;
	struct bound b[KINDS][COLUMNS];
	double a, slope;	     /* straight line: a + slope (x - from) */
	struct tape_svg_panel panel; /* the current one: s, us */
};

/* ---- bounds ---- */

static int is_upper(enum kind kind)
{
	return kind == ROUND_UPPER || kind == MESSAGE_UPPER;
}

static double reference_line(const struct picture *p, double x)
{
	return p->a + p->slope * (x - p->k->from_ns);
}

/* Stores a bound if it is the tightest of its column, relative to the track. */
static void add_tightest(struct picture *p, enum kind kind, double x,
			 double offset)
{
	double part = (x - p->k->from_ns) / (p->k->to_ns - p->k->from_ns);
	struct bound *b;
	double here, there;

	if (!(part >= 0 && part <= 1))
		return;
	b = &p->b[kind][(int)fmin(part * COLUMNS, COLUMNS - 1)];
	here = offset - tape_clock_track_at(p->t, x).offset_ns;
	there = b->there ? b->offset - tape_clock_track_at(p->t, b->x).offset_ns
			 : 0;
	if (!b->there || (is_upper(kind) ? here < there : here > there))
		*b = (struct bound){ x, offset, 1 };
}

/* Adds a message between clock i and another one. */
static void add_message(struct picture *p, uint32_t i, uint32_t from,
			double sent, uint32_t to, double received, int is_round)
{
	const struct clock *other = &p->k->c[to == i ? from : to];
	double x;

	if (other->status == CLOCK_UNPLACED)
		return;
	if (to == i) {
		x = clock_instant(&other->track, sent, NULL, NULL);
		add_tightest(p, is_round ? ROUND_UPPER : MESSAGE_UPPER, x,
			     received - x);
	} else {
		x = clock_instant(&other->track, received, NULL, NULL);
		add_tightest(p, is_round ? ROUND_LOWER : MESSAGE_LOWER, x,
			     sent - x);
	}
}

static void collect_points(struct picture *p, uint32_t i,
			   const struct bounds_pair *w, size_t n)
{
	const struct clocks *k = p->k;

	for (size_t j = 0; j < k->n_pairs; j++) {
		const struct clock_pair *q = &k->pair[j];

		for (size_t r = 0; (q->a == i || q->b == i) && r < q->n; r++) {
			struct tape_clock_round x =
				clocks_round(k, q, r, q->a, q->b);

			add_message(p, i, q->a, x.s_ref, q->b, x.r_j, 1);
			add_message(p, i, q->b, x.s_j, q->a, x.r_ref, 1);
		}
	}
	for (; n--; w++)
		for (size_t j = 0; (w->from == i || w->to == i) && j < w->n;
		     j++)
			if (!w->kept[j].is_round)
				add_message(p, i, w->from, w->kept[j].sent,
					    w->to, w->kept[j].received, 0);
}

/* ---- drawing ---- */

static double x_pixel(const struct picture *p, double x)
{
	return tape_svg_x(&p->panel, (x - p->k->from_ns) / 1e9);
}

/* The step of the knots that are drawn: about two for each column. */
static size_t knot_stride(const struct tape_clock_track *t)
{
	return t->n / (2 * COLUMNS) + 1;
}

/* The lowest lo or highest hi of the knots of one step from i on, us. */
static double extreme_offset(const struct picture *p, size_t i, int upper,
			     int flat)
{
	size_t end = i + knot_stride(p->t);
	double v = upper ? -INFINITY : INFINITY;

	for (; i < end && i < p->t->n; i++) {
		const struct tape_clock_knot *k = &p->t->knot[i];
		double y = upper ? k->hi_ns : k->lo_ns;

		if (flat)
			y += k->offset_ns - reference_line(p, k->ref_ns);
		v = upper ? fmax(v, y) : fmin(v, y);
	}
	return v / 1e3;
}

static void draw_band(const struct picture *p, int flat)
{
	const struct tape_clock_track *t = p->t;
	size_t step = knot_stride(t), n = (t->n + step - 1) / step;

	fputs("<path class=\"band\" d=\"", p->f);
	for (size_t i = 0; i < n; i++)
		fprintf(p->f, "%c%.1f %.1f", i ? 'L' : 'M',
			x_pixel(p, t->knot[i * step].ref_ns),
			tape_svg_y(&p->panel,
				   extreme_offset(p, i * step, 1, flat)));
	for (size_t i = n; i-- > 0;)
		fprintf(p->f, "L%.1f %.1f",
			x_pixel(p, t->knot[i * step].ref_ns),
			tape_svg_y(&p->panel,
				   extreme_offset(p, i * step, 0, flat)));
	fputs("Z\"/>\n", p->f);
}

static void draw_track(const struct picture *p, int flat)
{
	const struct tape_clock_track *t = p->t;
	size_t step = knot_stride(t);

	fputs("<path class=\"track\" d=\"", p->f);
	for (size_t i = 0; i < t->n; i += i + step < t->n || i + 1 == t->n
							? step
							: t->n - 1 - i) {
		const struct tape_clock_knot *k = &t->knot[i];
		double y =
		    flat ? k->offset_ns - reference_line(p, k->ref_ns) : 0;

		fprintf(p->f, "%c%.1f %.1f", i ? 'L' : 'M',
			x_pixel(p, k->ref_ns), tape_svg_y(&p->panel, y / 1e3));
	}
	fputs("\"/>\n", p->f);
}

/* Draws upper bounds as triangles above, lower ones as triangles below. */
static void draw_bounds(const struct picture *p, int flat)
{
	static const char *const classes[KINDS] = { "round", "round", "upper",
						    "lower" };

	for (int kind = KINDS; kind-- > 0;)
		for (int i = 0; i < COLUMNS; i++) {
			const struct bound *b = &p->b[kind][i];
			double v;

			if (!b->there)
				continue;
			v = b->offset -
			    (flat ? reference_line(p, b->x)
				  : tape_clock_track_at(p->t, b->x).offset_ns);
			v /= 1e3;
			/* bounds outside the panel are not drawn */
			if (v < p->panel.y0 || v > p->panel.y1)
				continue;
			fprintf(p->f,
				"<path class=\"%s\" d=\"M%.1f %.1fl3 %d"
				"h-6z\"/>\n",
				classes[kind], x_pixel(p, b->x),
				tape_svg_y(&p->panel, v),
				is_upper((enum kind)kind) ? -5 : 5);
		}
}

/* ---- ranges ---- */

static void set_y_range(struct picture *p, double lo, double hi)
{
	double more = 0.08 * (hi - lo);

	if (!(hi - lo > 1e-3))
		more = 0.5e-3;
	p->panel.y0 = lo - more;
	p->panel.y1 = hi + more;
}

/* A quantile of the finite values; 0 without any. Sorts v. */
static double finite_quantile(double *v, size_t n, double part)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			v[used++] = v[i];
	gsl_sort(v, 1, used);
	return used ? v[(size_t)(part * (double)(used - 1))] : 0;
}

/* The lower panel: 90% of the band's widths, and most bounds nearby. */
static void set_near_range(struct picture *p)
{
	const struct tape_clock_track *t = p->t;
	size_t n = t->n + KINDS * COLUMNS, used;
	double *v = malloc(n * sizeof *v), wide, far;

	if (!v)
		tape_die_no_memory();
	for (size_t i = 0; i < t->n; i++)
		v[i] = fmax(-t->knot[i].lo_ns, t->knot[i].hi_ns) / 1e3;
	wide = finite_quantile(v, t->n, 0.9);
	used = 0;
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < COLUMNS; i++)
			if (p->b[kind][i].there)
				v[used++] =
				    fabs(p->b[kind][i].offset -
					 tape_clock_track_at(t, p->b[kind][i].x)
					     .offset_ns) /
				    1e3;
	far = finite_quantile(v, used, 0.75);
	free(v);
	if (wide > 0)
		far = fmin(far, 6 * wide);
	far = fmax(1.2 * wide, far);
	set_y_range(p, -far, far);
}

/* The upper panel: the track, and its band up to that width. */
static void set_whole_range(struct picture *p)
{
	const struct tape_clock_track *t = p->t;
	double lo = INFINITY, hi = -INFINITY, room;

	for (size_t i = 0; i < t->n; i++) {
		double v =
		    t->knot[i].offset_ns - reference_line(p, t->knot[i].ref_ns);

		lo = fmin(lo, v / 1e3);
		hi = fmax(hi, v / 1e3);
	}
	room = fmax(hi - lo, p->panel.y1 - p->panel.y0);
	for (size_t i = 0; i < t->n; i++) {
		double v = (t->knot[i].offset_ns -
			    reference_line(p, t->knot[i].ref_ns)) /
			   1e3;

		lo = fmin(lo, fmax(v + t->knot[i].lo_ns / 1e3, v - room));
		hi = fmax(hi, fmin(v + t->knot[i].hi_ns / 1e3, v + room));
	}
	set_y_range(p, lo, hi);
}

/* ---- a page ---- */

static const char style[] =
	"<style>\n"
	"text { font: 13px sans-serif; fill: dimgray; }\n"
	".title { font-size: 16px; }\n"
	".frame { fill: none; stroke: gray; }\n"
	".grid { stroke: gray; stroke-opacity: .25; }\n"
	".band { fill: #4a90d9; fill-opacity: .3; }\n"
	".track { fill: none; stroke: #1f78c8; stroke-width: 1.5; }\n"
	".upper { fill: #d9772b; fill-opacity: .8; }\n"
	".lower { fill: #2aa06a; fill-opacity: .8; }\n"
	".round { fill: #a05ac8; }\n"
	"@media (prefers-color-scheme: dark) { text { fill: silver; } }\n"
	"</style>\n";

/* The legend, in one line. */
static void draw_legend(const struct picture *p)
{
	static const struct {
		const char *class_, *path, *text;
	} entries[] = {
		{ "track", "h24", "estimate" },
		{ "band", "v-6h24v12h-24z", "guaranteed" },
		{ "round", "m12 4l3 -5h-6z", "bounds by rounds" },
		{ "upper", "m12 4l3 -5h-6z", "above, by messages received" },
		{ "lower", "m12 -4l3 5h-6z", "below, by messages sent" },
	};
	static const int at[] = { 0, 110, 230, 395, 640 };

	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		fprintf(p->f, "<path class=\"%s\" d=\"M%d %d%s\"/>"
			"<text x=\"%d\" y=\"%d\">%s</text>\n",
			entries[i].class_, LEFT + at[i], PAGE - 16,
			entries[i].path, LEFT + at[i] + 30, PAGE - 12,
			entries[i].text);
}

static void draw_page(struct picture *p, uint32_t i)
{
	char source[64];

	fprintf(p->f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n%s",
		WIDTH, PAGE, WIDTH, PAGE, style);
	fprintf(p->f, "<title>Clock %" PRIu32 "</title>\n<text class=\"title\" "
		"x=\"%d\" y=\"24\">Clock %" PRIu32 ", ", i, LEFT, i);
	tape_svg_text(p->f, p->k->c[i].info->name);
	fprintf(p->f, ": %.5f ppm, from %s</text>\n",
		report_drift(p->k, i) * 1e6,
		report_source(&p->k->c[i], source));
	set_near_range(p);
	for (int panel = 0; panel < 2; panel++) {
		if (panel)
			set_near_range(p);
		else
			set_whole_range(p);
		p->panel.top = TOP + panel * (HEIGHT + GAP);
		tape_svg_axes(&p->panel, 10,
			      panel ? "bounds minus the estimate, us"
				    : "offset minus a linear fit, us",
			      "time, s");
		draw_band(p, !panel);
		draw_track(p, !panel);
		draw_bounds(p, !panel);
	}
	draw_legend(p);
	fputs("</svg>\n", p->f);
}

static void plot_clock(const struct clocks *k, uint32_t i,
		       const struct bounds_pair *w, size_t n, int dir,
		       const char *directory)
{
	struct picture *p = tape_must(calloc(1, sizeof *p));
	char name[32];

	p->k = k;
	p->t = &k->c[i].track;
	p->slope = report_drift(k, i);
	p->a = tape_clock_track_at(p->t, k->from_ns).offset_ns;
	collect_points(p, i, w, n);
	snprintf(name, sizeof name, "clock.%" PRIu32 ".svg", i);
	p->f = tape_file_begin_in(dir, directory, name);
	p->panel = (struct tape_svg_panel){.f = p->f,
					   .left = LEFT,
					   .width = PLOT_END - LEFT,
					   .height = HEIGHT,
					   .x1 = (k->to_ns - k->from_ns) / 1e9};
	draw_page(p, i);
	tape_file_end(p->f);
	free(p);
}

void plot_clocks(const struct clocks *k, struct bounds *b,
		 const char *directory)
{
	size_t n = 0;
	const struct bounds_pair *w = b ? bounds_pairs(b, &n) : NULL;
	int dir = tape_file_directory(directory);

	for (uint32_t i = 1; i < k->n; i++)
		if (k->c[i].status == CLOCK_PLACED)
			plot_clock(k, i, w, n, dir, directory);
}
