/*
 * The test of the model as one page: the verdict, transit and model by size,
 * residuals by time, and a histogram for each class. No external parts and no
 * scripts, colours for light and dark backgrounds. See trial.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "file_output.h"
#include "html_page.h"
#include "tool.h"
#include "svg.h"
#include "trial.h"
#include "trial_parts.h"

enum {
	WIDTH = 960, LEFT = 90, RIGHT = 20, TOP = 30, HEIGHT = 300, FOOT = 50,
	SMALL = 470, BARS = 40, CURVE = 200
};

/* Returns an empty panel of that size, in pixels. */
static struct tape_svg_panel new_panel(FILE *f, double width, double height)
{
	return (struct tape_svg_panel){
	    .f = f, .left = LEFT, .top = TOP, .width = width, .height = height};
}

/* Starts a picture that is one panel; "</svg>" ends it. */
static void open_picture(const struct tape_svg_panel *p, int marks,
			 const char *title, const char *x_name)
{
	int width = (int)p->width + LEFT + RIGHT;
	int height = (int)p->height + TOP + FOOT;

	fprintf(p->f,
		"<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		width, height, width, height);
	tape_svg_axes(p, marks, title, x_name);
}

/* ---- points ---- */

static const struct tape_verdict_class *point_class(const struct trial *t,
						    const struct tape_parcel *p)
{
	return &t->verdict.c[p->distance][p->rendezvous]
			    [tape_size_class(p->bytes)];
}

/* The measured transit: the time minus DC. */
static double transit_us(const struct trial *t, const struct trial_point *p)
{
	return (p->time_ns - point_class(t, &p->parcel)->dc_ns) / 1e3;
}

static double residual_us(const struct trial *t, const struct trial_point *p)
{
	return transit_us(t, p) - p->model_ns / 1e3;
}

/* The error of the model: of the mean, or of its quantile. */
static double off_us(const struct tape_verdict_class *c)
{
	return (c->claim.quantile > 0 ? c->quantile_ns : c->mean_ns) / 1e3;
}

/* Limits v to positive values for logarithms. */
static double at_least(double v, double least)
{
	return v > least ? v : least;
}

/* The style of each distance. */
static const char *const colour[TAPE_DISTANCES] = {
    [TAPE_SELF] = "d0", [TAPE_CACHE] = "d3",  [TAPE_PACKAGE] = "d4",
    [TAPE_SHM] = "d1",	[TAPE_SWITCH] = "d5", [TAPE_NET] = "d2"};

static void draw_dot(const struct tape_svg_panel *p,
		     const struct tape_parcel *m, double x, double y)
{
	fprintf(p->f,
		"<circle class=\"%s%s\" cx=\"%.1f\" cy=\"%.1f\" "
		"r=\"1.8\"/>\n",
		colour[m->distance], m->rendezvous ? " r" : "",
		tape_svg_x(p, x), tape_svg_y(p, y));
}

/* ---- transit by size ---- */

enum { LEAST_US = -3 };

/* The line of the model over the sizes of its messages. */
static void draw_model_curve(const struct trial *t,
			     const struct tape_svg_panel *p, int d, int r)
{
	double lo = INFINITY, hi = 0;

	for (size_t i = 0; i < t->points; i++) {
		const struct tape_parcel *m = &t->point[i].parcel;

		if ((int)m->distance != d || m->rendezvous != r)
			continue;
		lo = fmin(lo, (double)m->bytes);
		hi = fmax(hi, (double)m->bytes);
	}
	if (lo > hi)
		return;
	lo = at_least(lo, 1);
	fprintf(p->f, "<path class=\"model %s\" d=\"", colour[d]);
	for (int i = 0; i <= CURVE; i++) {
		double bytes =
		    lo * pow(at_least(hi, 1) / lo, (double)i / CURVE);
		struct tape_parcel m = { .bytes = (uint64_t)(bytes + 0.5),
					 .distance = (enum tape_distance)d,
					 .rendezvous = r };
		double us = tape_comm_transit(t->model, &m) / 1e3;

		fprintf(p->f, "%c%.1f %.1f", i ? 'L' : 'M',
			tape_svg_x(p, bytes),
			tape_svg_y(p, at_least(us, 1e-3)));
	}
	fputs("\"/>\n", p->f);
}

static void draw_by_size(const struct trial *t, FILE *f)
{
	struct tape_svg_panel p = new_panel(f, WIDTH - LEFT - RIGHT, HEIGHT);

	p.is_log = 1;
	p.x0 = p.y0 = INFINITY;
	p.y1 = LEAST_US;
	for (size_t i = 0; i < t->points; i++) {
		double x = log10(at_least((double)t->point[i].parcel.bytes, 1));
		double y = log10(at_least(transit_us(t, &t->point[i]), 1e-3));
		double z = log10(at_least(t->point[i].model_ns / 1e3, 1e-3));

		p.x0 = fmin(p.x0, x - 0.1);
		p.x1 = fmax(p.x1, x + 0.1);
		p.y0 = fmin(p.y0, fmin(y, z) - 0.1);
		p.y1 = fmax(p.y1, fmax(y, z) + 0.1);
	}
	open_picture(&p, 0,
		     "transit, us: measured (points), of the model (lines)",
		     "bytes");
	for (size_t i = 0; i < t->points; i++)
		draw_dot(&p, &t->point[i].parcel,
			 at_least((double)t->point[i].parcel.bytes, 1),
			 at_least(transit_us(t, &t->point[i]), 1e-3));
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int r = 0; r < 2; r++)
			draw_model_curve(t, &p, d, r);
	fputs("</svg>\n", f);
}

/* ---- residuals ---- */

/* The range of 0 and 99% of the residuals of a class; c NULL: of all. */
static void residual_range(const struct trial *t,
			   const struct tape_verdict_class *c, double *lo,
			   double *hi)
{
	double *v = malloc((t->points + 1) * sizeof *v), more;
	size_t n = 0;

	if (!v)
		tape_die_no_memory();
	for (size_t i = 0; i < t->points; i++)
		if (!c || point_class(t, &t->point[i].parcel) == c)
			v[n++] = residual_us(t, &t->point[i]);
	gsl_sort(v, 1, n);
	*lo = n ? gsl_stats_quantile_from_sorted_data(v, 1, n, 0.005) : 0;
	*hi = n ? gsl_stats_quantile_from_sorted_data(v, 1, n, 0.995) : 0;
	free(v);
	*lo = fmin(*lo, 0);
	*hi = fmax(*hi, 0);
	more = fmax(0.05 * (*hi - *lo), 1e-3);
	*lo -= more;
	*hi += more;
}

static void draw_by_time(const struct trial *t, FILE *f)
{
	struct tape_svg_panel p = new_panel(f, WIDTH - LEFT - RIGHT, HEIGHT);
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < t->points; i++) {
		int64_t er = t->point[i].er_ns;

		first = er < first ? er : first;
		last = er > last ? er : last;
	}
	p.x1 = fmax((double)(last - first) / 1e9, 1e-9);
	residual_range(t, NULL, &p.y0, &p.y1);
	open_picture(&p, 10,
		     "residual, us: transit minus model (outliers at the edge)",
		     "time, s");
	for (size_t i = 0; i < t->points; i++)
		draw_dot(&p, &t->point[i].parcel,
			 (double)(t->point[i].er_ns - first) / 1e9,
			 residual_us(t, &t->point[i]));
	fprintf(f, "<path class=\"zero\" d=\"M%d %.1fh%.0f\"/>\n", LEFT,
		tape_svg_y(&p, 0), p.width);
	fputs("</svg>\n", f);
}

static void draw_histogram(const struct trial *t, FILE *f,
			   const struct tape_verdict_class *c, int distance,
			   const char *name)
{
	struct tape_svg_panel p =
	    new_panel(f, SMALL - LEFT - RIGHT, HEIGHT / 2.0);
	int bar[BARS] = { 0 }, most = 0;
	double wide;

	residual_range(t, c, &p.x0, &p.x1);
	wide = p.width / BARS;
	for (size_t i = 0; i < t->points; i++) {
		double part = (residual_us(t, &t->point[i]) - p.x0) /
			      (p.x1 - p.x0);
		int at = (int)(fmin(fmax(part, 0), 1) * (BARS - 1e-9));

		if (point_class(t, &t->point[i].parcel) == c &&
		    ++bar[at] > most)
			most = bar[at];
	}
	p.y1 = at_least(1.05 * most, 1);
	open_picture(&p, 5, name, "residual, us; dashed: mean error");
	for (int i = 0; i < BARS; i++)
		fprintf(f,
			"<path class=\"%s\" d=\"M%.1f %.1fH%.1fV%.0fH%.1fz"
			"\"/>\n",
			colour[distance], LEFT + i * wide,
			tape_svg_y(&p, bar[i]), LEFT + (i + 1) * wide,
			TOP + p.height, LEFT + i * wide);
	fprintf(f,
		"<path class=\"zero\" d=\"M%.1f %dv%.0f\"/>\n"
		"<path class=\"mean\" d=\"M%.1f %dv%.0f\"/>\n",
		tape_svg_x(&p, 0), TOP, p.height, tape_svg_x(&p, off_us(c)),
		TOP, p.height);
	fputs("</svg>\n", f);
}

/* ---- the page ---- */

static const struct html_page page = {.style = HTML_PART(trial_part_style)};

static const char *decision_cell(enum tape_decision d)
{
	switch (d) {
	case TAPE_UNDECIDED:
		break;
	case TAPE_ACCEPTED:
		return "<td>accept</td>";
	case TAPE_REJECTED:
		return "<td class=\"reject\">reject</td>";
	}
	return "<td>undecided</td>";
}

typedef void class_writer(const struct trial *t, FILE *f,
			  const struct tape_verdict_class *c, int distance,
			  const char *name);

/* Calls what for each decided class. */
static void for_each_class(const struct trial *t, FILE *f, class_writer *what)
{
	char name[TRIAL_NAME];

	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int r = 0; r < 2; r++)
			for (int s = 0; s < TAPE_SIZE_CLASSES; s++)
				if (t->verdict.c[d][r][s].decision !=
				    TAPE_UNDECIDED)
					what(t, f, &t->verdict.c[d][r][s], d,
					     trial_name(d, r, s, name));
}

static void write_class_row(const struct trial *t, FILE *f,
			    const struct tape_verdict_class *c, int distance,
			    const char *name)
{
	(void)t;
	(void)distance;
	fprintf(f,
		"<tr><td class=\"n\">%s</td><td>%.0f</td><td>%.3f</td>"
		"<td>%.3f</td><td>%+.3f</td><td>%.3f</td><td>%.3f</td>"
		"<td>%.3g</td>%s%s</tr>\n",
		name, (double)c->residual.n, (c->time.mean - c->dc_ns) / 1e3,
		c->model.mean / 1e3, off_us(c), c->t_even, c->k, c->p,
		decision_cell(c->alone), decision_cell(c->decision));
}

/* Explains the colours of distances that only some runs have. */
static void explain_near_colours(const struct trial *t, FILE *f)
{
	int has = 0;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int i = 0; i < 2 * TAPE_SIZE_CLASSES; i++)
			has |=
			    (int)tape_transport((enum tape_distance)d) != d &&
			    t->verdict.c[d][i % 2][i / 2].residual.n > 0;
	if (has)
		fputs("<p>Turquoise: with one cache, violet: in one "
		      "package, yellow: at one switch.</p>\n",
		      f);
}

static void write_page(const struct trial *t, const char *trace, FILE *f)
{
	html_page_begin(f, &page, "Communication model");
	fputs("<h1>Communication model</h1>\n<p>Tested on ", f);
	tape_svg_text(f, trace);
	fprintf(f,
		": %.0f messages, of which the plots show one in %.0f. "
		"Green: to oneself, blue: on one host, orange: between hosts; "
		"pale: rendezvous.</p>\n",
		(double)t->tested, (double)t->stride);
	explain_near_colours(t, f);
	fputs("<div class=\"wide\"><table>\n"
	      "<tr><th class=\"n\">class</th><th>messages</th><th>transit, "
	      "us</th><th>model</th>"
	      "<th>residual</th><th>t</th><th>k</th><th>p</th><th>alone</th>"
	      "<th>of all</th></tr>\n",
	      f);
	for_each_class(t, f, write_class_row);
	fprintf(f,
		"<tr><td class=\"n\" colspan=\"9\">the model</td>%s</tr>\n"
		"</table></div>\n",
		decision_cell(t->verdict.decision));
	if (t->points) {
		draw_by_size(t, f);
		draw_by_time(t, f);
		for_each_class(t, f, draw_histogram);
	}
	html_page_end(f, &page);
}

void trial_page(const struct trial *t, const char *trace, const char *path)
{
	write_page(t, trace, tape_file_begin(path));
	tape_file_commit();
}
