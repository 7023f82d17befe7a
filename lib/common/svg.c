/* Text, round numbers and axes of pictures; see svg.h. */
#include <math.h>
#include <string.h>

#include "escape.h"
#include "svg.h"

void tape_svg_text(FILE *f, const char *s)
{
	uint32_t code;
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = tape_utf8(s, &code);
		if (n && strchr("&<>\"'", *s))
			fprintf(f, "&#%d;", *s);
		else if (n && tape_is_shown(code))
			fwrite(s, 1, n, f);
		else
			fputs("\xef\xbf\xbd", f); /* U+FFFD */
	}
}

double tape_svg_step(double range, int parts)
{
	double rough = range / parts, power = pow(10, floor(log10(rough)));

	rough /= power;
	return power * (rough > 5 ? 10 : rough > 2 ? 5 : rough > 1 ? 2 : 1);
}

int tape_svg_digits(double step)
{
	return step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
}

/* ---- panels ---- */

/* The share of the way from lo to hi, 0 to 1. */
static double place_of(const struct tape_svg_panel *p, double v, double lo,
		       double hi)
{
	double part = ((p->is_log ? log10(v) : v) - lo) / (hi - lo);

	return fmin(fmax(part, 0), 1);
}

double tape_svg_x(const struct tape_svg_panel *p, double v)
{
	return p->left + p->width * place_of(p, v, p->x0, p->x1);
}

double tape_svg_y(const struct tape_svg_panel *p, double v)
{
	return p->top + p->height * (1 - place_of(p, v, p->y0, p->y1));
}

/* Puts a mark and its grid line. */
static void put_mark(const struct tape_svg_panel *p, int is_x, double v,
		     const char *text)
{
	double x = is_x ? tape_svg_x(p, v) : p->left;
	double y = is_x ? p->top : tape_svg_y(p, v);

	fprintf(p->f,
		"<path class=\"grid\" d=\"M%.1f %.1f%c%.1f\"/><text x=\"%.1f\" "
		"y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
		x, y, is_x ? 'v' : 'h', is_x ? p->height : p->width,
		is_x ? x : x - 8, is_x ? y + p->height + 18 : y + 4,
		is_x ? "middle" : "end", text);
}

/* Puts about n marks at round numbers. */
static void put_marks(const struct tape_svg_panel *p, int is_x, int n)
{
	double lo = is_x ? p->x0 : p->y0, hi = is_x ? p->x1 : p->y1;
	double step = tape_svg_step(hi - lo, n);
	char text[40];

	for (double i = ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step;
	     i++) {
		double v = i * step + 0.0; /* never -0 */

		snprintf(text, sizeof text, "%.*f", tape_svg_digits(step), v);
		put_mark(p, is_x, v, text);
	}
}

/* The same for logarithms: powers of ten; if few, also 2 and 5 times these. */
static void put_log_marks(const struct tape_svg_panel *p, int is_x)
{
	static const double times[] = {1, 2, 5};
	double lo = is_x ? p->x0 : p->y0, hi = is_x ? p->x1 : p->y1;
	char text[40];

	for (double power = floor(lo); power <= hi; power++)
		for (int i = 0; i < (hi - lo < 2 ? 3 : 1); i++) {
			double v = pow(10, power) * times[i];

			if (log10(v) < lo || log10(v) > hi)
				continue;
			snprintf(text, sizeof text, "%g", v);
			put_mark(p, is_x, v, text);
		}
}

void tape_svg_axes(const struct tape_svg_panel *p, int n_x, const char *title,
		   const char *x_name)
{
	fprintf(p->f,
		"<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\"/>\n<text x=\"%.1f\" y=\"%.1f\">",
		p->left, p->top, p->width, p->height, p->left, p->top - 8);
	tape_svg_text(p->f, title);
	fprintf(p->f,
		"</text>\n<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s"
		"</text>\n",
		p->left + p->width, p->top + p->height + 36, x_name);
	for (int is_x = 0; is_x < 2; is_x++)
		if (p->is_log)
			put_log_marks(p, is_x);
		else
			put_marks(p, is_x, is_x ? n_x : 6);
}
