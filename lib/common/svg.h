/* What pictures written as SVG have in common: text, round numbers, axes. */
#ifndef TAPE_SVG_H
#define TAPE_SVG_H

#include <stdio.h>

/*
 * Writes s, UTF-8, as text of XML or HTML; U+FFFD for what cannot be shown
 * (escape.h).
 */
void tape_svg_text(FILE *f, const char *s);

/*
 * The distance of marks that divide a range (above 0) into about so many
 * parts: 1, 2 or 5 times a power of ten.
 */
double tape_svg_step(double range, int parts);

/* How many digits after the point numbers with such a step need. */
int tape_svg_digits(double step);

/*
 * A panel: its frame in pixels, and the values at the edges of the frame; with
 * is_log set their decimal logarithms.
 */
struct tape_svg_panel {
	FILE *f;
	double left, top, width, height;
	double x0, x1, y0, y1;
	int is_log;
};

/* Return the pixel of a value; of a value outside the frame, of its edge. */
double tape_svg_x(const struct tape_svg_panel *p, double v);
double tape_svg_y(const struct tape_svg_panel *p, double v);

/*
 * Draws the frame with its classes "frame" and "grid", marks at round numbers
 * (about n_x along x, six along y), the title above, the name of x below.
 */
void tape_svg_axes(const struct tape_svg_panel *p, int n_x, const char *title,
		   const char *x_name);

#endif
