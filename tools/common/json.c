/* JSON on standard output; see json.h. */
#include <math.h>
#include <stdio.h>

#include "json.h"

void tape_json_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 32 || c >= 127)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

void tape_json_number(double v)
{
	if (isfinite(v))
		printf("%.17g", v);
	else
		printf("null");
}
