/* Common parts of pictures; see picture.h. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "picture.h"
#include "svg.h"
#include "tool.h"

/* The colours of draw.js, light. */
static const char style[] =
	"<style>\n"
	"text { font: 13px sans-serif; fill: #222222; }\n"
	".small { font-size: 10px; } .title { font-size: 15px; }\n"
	".g0 { fill: #d3ddd8; } .g1 { fill: #0072b2; } .g2 { fill: #d55e00; }\n"
	".g3 { fill: #e69f00; } .g4 { fill: #b5609a; } .g5 { fill: #009e73; }\n"
	".g6 { fill: #56b4e9; } .g7 { fill: #9a9a9a; } .g8 { fill: #6f7f8f; }\n"
	".late { fill: #f0e442; }\n"
	".r0 { fill: #f1e3c6; } .r1 { fill: #d5e8d4; } .r2 { fill: #dcd5ec; }\n"
	".r3 { fill: #d4e4f2; }\n"
	".grid { stroke: #000000; stroke-opacity: .12; }\n"
	".frame { fill: none; stroke: #777777; }\n"
	".message { stroke: #222222; stroke-opacity: .6; stroke-width: .8; }\n"
	".wrong { stroke: #c00000; stroke-width: 1.4; }\n"
	"</style>\n";

void picture_open(FILE *f, double height)
{
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s",
		PICTURE_WIDTH, height, PICTURE_WIDTH, height, style);
}

void picture_close(FILE *f)
{
	fputs("</svg>\n", f);
}

void picture_text(FILE *f, double x, double y, const char *anchor,
		  const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		tape_die_no_memory();
	va_end(ap);
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
		anchor);
	tape_svg_text(f, text);
	fputs("</text>\n", f);
	free(text);
}

static const char *const units[] = { "ns", "us", "ms", "s" };

/* Returns the unit for a time of that size. *scale: the unit in ns. */
static const char *unit_of(double ns, double *scale)
{
	int i = 0;

	*scale = 1;
	while (i < 3 && fabs(ns) >= 1000 * *scale) {
		*scale *= 1000;
		i++;
	}
	return units[i];
}

char *picture_duration(double ns, char *text, size_t n)
{
	double scale;
	const char *unit = unit_of(ns, &scale);

	snprintf(text, n, "%.4g %s", ns / scale, unit);
	return text;
}

void picture_time_axis(FILE *f, double x0, double x1, double top, double y,
		       double ns, double from_ns)
{
	double step = tape_svg_step(ns, 8), scale;
	const char *unit = unit_of(fmax(fabs(from_ns), fabs(from_ns + ns)),
				   &scale);

	for (double t = ceil(from_ns / step) * step; t <= from_ns + ns;
	     t += step) {
		double x = x0 + (x1 - x0) * (t - from_ns) / ns;
		double v = fabs(t) < step / 1e6 ? 0 : t / scale;

		fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x,
			top, y);
		picture_text(f, x, y + 15, "middle", "%.*f",
			     tape_svg_digits(step / scale), v);
	}
	picture_text(f, x1, y + 30, "end", "time, %s", unit);
}
