/* See argument_list.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "argument_list.h"

void arguments_add(struct argument_list *w, const char *word)
{
	if (w->n + 2 > w->room) {
		w->room = 2 * w->room + 16;
		w->word =
		    tape_must(realloc(w->word, w->room * sizeof *w->word));
	}
	w->word[w->n++] = (char *)word;
	w->word[w->n] = NULL;
}

void arguments_add_all(struct argument_list *w, char *const *list)
{
	for (; *list; list++)
		arguments_add(w, *list);
}

void arguments_print(struct argument_list *w, const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	arguments_add(w, tape_must(text));
}
