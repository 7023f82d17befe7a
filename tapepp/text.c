/* A text that grows; see text.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "text.h"

void tape_text_put(struct tape_text *t, const char *bytes, size_t n)
{
	char *p;

	if (t->failed)
		return;
	p = tape_grow_array(t->p, &t->size, t->n + n, 1);
	if (!p) {
		t->failed = 1;
		return;
	}
	t->p = p;
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
