/* JSON on standard output; see json.h. */
#include <math.h>
#include <stdio.h>

#include "escape.h"
#include "json.h"

void tape_json_put(FILE *f, const char *s)
{
	uint32_t code;
	size_t n;

	putc('"', f);
	for (; *s; s += n ? n : 1) {
		n = tape_utf8(s, &code);
		if (!n)
			fputs("\\ufffd", f); /* a byte that is no character */
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (tape_is_shown(code))
			fwrite(s, 1, n, f);
		else if (code < 0x10000)
			fprintf(f, "\\u%04x", code);
		else
			fprintf(f, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
				0xdc00 + (code & 0x3ff));
	}
	putc('"', f);
}

void tape_json_string(const char *s)
{
	tape_json_put(stdout, s);
}

void tape_json_number(double v)
{
	if (isfinite(v))
		printf("%.17g", v);
	else
		printf("null");
}
