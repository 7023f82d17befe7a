/* A text that grows; see text.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void tape_text_put(struct tape_text *t, const char *bytes, size_t n)
{
	if (t->failed)
		return;
	if (n > t->size - t->n) {
		size_t size = t->size + n + t->size / 2 + 256;
		char *p = size > t->size ? realloc(t->p, size) : NULL;

		if (!p) {
			t->failed = 1;
			return;
		}
		t->p = p;
		t->size = size;
	}
	if (n)
		memcpy(t->p + t->n, bytes, n);
	t->n += n;
}

void tape_text_format(struct tape_text *t, const char *format, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	tape_text_put(t, line, strlen(line));
}
