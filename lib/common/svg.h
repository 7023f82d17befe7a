/* What pictures written as SVG have in common: text, and round numbers. */
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

#endif
