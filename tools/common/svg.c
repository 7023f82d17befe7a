/* Text and round numbers of pictures; see svg.h. */
#include <math.h>

#include "svg.h"

void tape_svg_text(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '&' || *s == '<' || *s == '>')
			fprintf(f, "&#%d;", *s);
		else
			fputc(*s >= 32 && *s < 127 ? *s : '?', f);
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
