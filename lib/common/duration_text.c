/* See duration_text.h. */
#include <math.h>
#include <stdio.h>

#include "duration_text.h"

const char *tape_duration_text(double ns, char *text, size_t size)
{
	/* from here on three digits round up to the next unit */
	const double seconds = 999.5e6, millis = 999.5e3;
	double a = fabs(ns);

	if (!isfinite(ns))
		snprintf(text, size, "-");
	else if (a == 0)
		snprintf(text, size, "0 s");
	else if (a >= seconds)
		snprintf(text, size, "%.*f s", a >= 1e11 ? 0 : 2, ns / 1e9);
	else if (a >= millis)
		snprintf(text, size, "%.3g ms", ns / 1e6);
	else
		snprintf(text, size, "%.3g us", ns / 1e3);
	return text;
}
