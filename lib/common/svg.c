/* Text and round numbers of pictures; see svg.h. */
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
