/* The parts of a chapter on phases and on accuracy; see chapter.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chapter.h"
#include "html.h"
#include "interval.h"
#include "not_recorded.h"
#include "svg.h"
#include "tool.h"

enum { WIDTH = 900, HEIGHT = 220, LEFT = 70, TOP = 10, FOOT = 40 };

/* ---- phases ---- */

static double phase_part_ns(const struct sheet *h, size_t row, int part)
{
	double v = sheet_cell_value(h, row, html_column(h, html_part[part]));

	return isfinite(v) ? v : 0;
}

static double phase_total_ns(const struct sheet *h, size_t row)
{
	double sum = 0;

	for (int k = 0; k < HTML_PARTS; k++)
		sum += phase_part_ns(h, row, k);
	return sum;
}

/* Draws grid lines, with seconds on the left. */
static void draw_phase_grid(FILE *f, double most)
{
	double step = tape_svg_step(most / 1e9, 4);

	for (double v = 0; v <= most / 1e9; v += step) {
		double y = TOP + HEIGHT * (1 - v * 1e9 / most);

		fprintf(f,
			"<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">"
			"%.*f</text>\n",
			LEFT, y, WIDTH, LEFT - 6, y + 4, tape_svg_digits(step),
			v);
	}
}

/* Draws the bar of a phase: its parts, stacked. */
static void draw_phase_bar(FILE *f, const struct sheet *h, size_t row,
			   double most, double wide)
{
	double x = LEFT + (double)row * wide, y = TOP + HEIGHT;
	char text[200], time[40];

	sheet_cell_text(h, row, html_column(h, "phase"), text, sizeof text);
	for (int k = 0; k < HTML_PARTS; k++) {
		double tall = HEIGHT * phase_part_ns(h, row, k) / most;

		if (!(tall > 0))
			continue;
		y -= tall;
		fprintf(f,
			"<rect class=\"k%d\" x=\"%.2f\" y=\"%.2f\" "
			"width=\"%.2f\" height=\"%.2f\"><title>phase ",
			k, x, y, wide * 0.9, tall);
		tape_svg_text(f, text);
		fprintf(f, ", %s: %s</title></rect>\n", html_part[k],
			html_time(phase_part_ns(h, row, k), time, sizeof time));
	}
}

static void draw_phases(FILE *f, const struct sheet *h)
{
	size_t n = sheet_count_rows(h);
	double most = 0, wide = (double)(WIDTH - LEFT) / (double)n;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, phase_total_ns(h, i));
	if (!(most > 0))
		return;
	fprintf(f,
		"<figure><svg viewBox=\"0 0 %d %d\" width=\"%d\" "
		"height=\"%d\" role=\"img\">\n",
		WIDTH, TOP + HEIGHT + FOOT, WIDTH, TOP + HEIGHT + FOOT);
	draw_phase_grid(f, most);
	for (size_t i = 0; i < n; i++)
		draw_phase_bar(f, h, i, most, wide);
	fprintf(f,
		"<text x=\"%d\" y=\"%d\">phases in order; time of all ranks, "
		"s</text>\n"
		"</svg></figure>\n",
		LEFT, TOP + HEIGHT + 24);
}

void chapter_put_phases(struct chapter_draft *m, FILE *f)
{
	struct sheet *h = m->table[STAT_PHASES];

	if (!h)
		return;
	fputs("<h3>Phases</h3>\n<p class=\"about\">", f);
	tape_svg_text(f, sheet_title(h));
	fputs(".</p>\n", f);
	if (!sheet_count_rows(h))
		return;
	html_put_legend(f);
	draw_phases(f, h);
	fputs("<details><summary>As a table</summary>\n", f);
	html_put_table(f, h, NULL, 100);
	fputs("</details>\n", f);
}

/* ---- quality ---- */

static void put_quality_row(FILE *f, const char *what, const char *value)
{
	fprintf(f, "<tr><th class=\"n\">%s</th><td class=\"n\">", what);
	tape_svg_text(f, value);
	fputs("</td></tr>\n", f);
}

/* Sets *ns to the largest clock error of all domains. Returns 0 if a clock is
 * not bounded everywhere. */
static int clock_bound(const struct tape_trace *t, double *ns)
{
	*ns = 0;
	for (uint32_t d = 0; d < tape_trace_domains(t); d++) {
		const struct tape_domain_info *c = tape_trace_domain(t, d);

		for (size_t i = 0; c && i < c->n_pieces; i++) {
			const struct tape_clock_piece *p = &c->pieces[i];

			if (p->lo_ns == INT64_MIN || p->hi_ns == INT64_MAX)
				return 0;
			*ns = fmax(*ns,
				   fmax(-(double)p->lo_ns, (double)p->hi_ns));
		}
	}
	return 1;
}

static void put_clock_quality(const struct stats *s, FILE *f)
{
	size_t n = tape_trace_domains(s->t);
	char text[200], time[40];
	double ns;

	if (n < 2)
		snprintf(text, sizeof text, "one clock for all ranks");
	else if (tape_trace_base(s->t) == TAPE_BASE_LOCAL)
		snprintf(text, sizeof text,
			 "%zu clocks, not synchronised (run sba)", n);
	else if (clock_bound(s->t, &ns))
		snprintf(text, sizeof text,
			 "%zu clocks; timestamps are certain within %s", n,
			 html_time(ns, time, sizeof time));
	else
		snprintf(text, sizeof text,
			 "%zu clocks; some timestamps have no bounds", n);
	put_quality_row(f, "clocks", text);
}

/* Writes the cost of tracing, and whether it is removed from the times. */
static void put_tracing_quality(const struct stats *s, double tracing_ns,
				FILE *f)
{
	const char *line = tape_trace_meta(s->t, "total", 0);
	double all = stats_all_lengths(s), v[4];
	int n =
	    line ? sscanf(line, "%lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3])
		 : 0;
	char text[300], a[40], b[40];
	struct tape_seconds x;

	if (n == 4) {
		x = tape_interval_seconds(v[2], v[3]);
		snprintf(b, sizeof b, x.exact ? "%.*f s" : "%.*f to", x.digits,
			 x.from_s);
		n = snprintf(text, sizeof text, "removed: %s measured, %s",
			     html_time(v[0], a, sizeof a), b);
		snprintf(text + n, sizeof text - (size_t)n,
			 x.exact ? " without tracing, exact bounds"
				 : " %.*f s without tracing, guaranteed",
			 x.digits, x.to_s);
	} else if (n >= 2)
		snprintf(text, sizeof text,
			 "removed: %s measured, %s without tracing",
			 html_time(v[0], a, sizeof a),
			 html_time(v[1], b, sizeof b));
	else
		snprintf(text, sizeof text,
			 "%s of the time of all ranks (%.2f%%), included in "
			 "these times",
			 html_time(tracing_ns, a, sizeof a),
			 all > 0 ? 100 * tracing_ns / all : 0);
	put_quality_row(f, "tracing", text);
}

void chapter_put_quality(struct chapter_draft *m, FILE *f)
{
	const struct stats *s = m->s;
	double tracing_ns = 0;
	char text[2200], a[60], b[60];

	for (size_t i = 0; i < m->ranks; i++)
		tracing_ns += m->rank[i].tracing_ns;
	fputs("<h3>Accuracy and completeness</h3>\n"
	      "<table class=\"facts\">\n",
	      f);
	put_quality_row(f, "all of it",
			s->incomplete ? s->why
				      : "all ranks, to their normal ends");
	put_clock_quality(s, f);
	put_tracing_quality(s, tracing_ns, f);
	snprintf(text, sizeof text,
		 "%s; messages: %s matched, %" PRIu64 " not; %" PRIu64
		 " collectives",
		 html_count((double)s->events, a, sizeof a),
		 html_count((double)s->messages, b, sizeof b), s->unmatched,
		 s->rounds);
	put_quality_row(f, "events", text);
	if (tape_not_recorded_text(s->missing, text, sizeof text))
		put_quality_row(f, "not recorded", text);
	fputs("</table>\n", f);
}
