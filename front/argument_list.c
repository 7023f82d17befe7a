/* See argument_list.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "growing_array.h"
#include "tool.h"
#include "argument_list.h"

void arguments_add(struct argument_list *w, const char *word)
{
	w->word = tape_must(
	    tape_grow_array(w->word, &w->room, w->n + 2, sizeof *w->word));
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
