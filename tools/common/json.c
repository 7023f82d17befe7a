/* JSON on standard output; see json.h. */
#include <math.h>
#include <stdio.h>

#include "escape.h"
#include "json.h"

void tape_json_string(const char *s)
{
	uint32_t code;
	size_t n;

	putchar('"');
	for (; *s; s += n ? n : 1) {
		n = tape_utf8(s, &code);
		if (!n)
			printf("\\ufffd"); /* a byte that is no character */
		else if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if (tape_is_shown(code))
			fwrite(s, 1, n, stdout);
		else if (code < 0x10000)
			printf("\\u%04x", code);
		else
			printf("\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
			       0xdc00 + (code & 0x3ff));
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
