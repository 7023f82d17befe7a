/* See run_figures.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "called_programs.h"
#include "growing_array.h"
#include "number_text.h"
#include "run_figures.h"
#include "tool.h"

/* ---- what tapestat says ---- */

/* The JSON of tapestat for the trace, a string of the caller's; NULL: none. */
static char *read_json(const struct stages *s)
{
	static char *options[] = {(char *)"-j", (char *)"-n", (char *)"0",
				  NULL};
	struct argument_list a = {0};
	FILE *out = tmpfile();
	char *text = NULL;
	long bytes;

	if (!out)
		tape_die(TAPE_FAILED, "cannot make a temporary file: %s",
			 strerror(errno));
	stages_figures(s, options, &a);
	if (!program_run(a.word, fileno(out)) && !fseek(out, 0, SEEK_END) &&
	    (bytes = ftell(out)) > 0) {
		rewind(out);
		text = tape_must(malloc((size_t)bytes + 1));
		text[fread(text, 1, (size_t)bytes, out)] = '\0';
	}
	fclose(out);
	free(a.word);
	return text;
}

/* The number after a key at or after *at, which then stands after it. */
static int read_number(const char **at, const char *key, double *v)
{
	const char *p = strstr(*at, key);

	if (!p || tape_parse_real(p + strlen(key), -1e300, 1e300, v, &p))
		return -1;
	*at = p;
	return 0;
}

/* The string after a key at or after *at; one of the caller's, or NULL. */
static char *read_string(const char **at, const char *key)
{
	const char *p = strstr(*at, key), *end;

	if (!p)
		return NULL;
	p += strlen(key);
	for (end = p; *end && *end != '"'; end++)
		end += *end == '\\' && end[1];
	*at = end;
	return tape_must(strndup(p, (size_t)(end - p)));
}

/* ---- figures ---- */

/* Adds seconds to the figure of that name; keeps the string, or frees it. */
static void add_seconds(struct figure_list *l, char *name, double seconds)
{
	size_t i = 0;

	while (i < l->n && strcmp(l->figure[i].name, name) != 0)
		i++;
	if (i == l->n) {
		l->figure = tape_must(tape_grow_array(l->figure, &l->room,
						      l->n + 1,
						      sizeof *l->figure));
		l->figure[l->n++] = (struct named_figure){.name = name};
	} else {
		free(name);
	}
	l->figure[i].run_s += seconds;
}

/* The run is read: runs before it had no figure of a new name. */
static void end_run(struct figure_list *l, int runs)
{
	for (size_t i = 0; i < l->n; i++) {
		while (l->figure[i].s.n < runs - 1)
			tape_sample_add(&l->figure[i].s, 0);
		tape_sample_add(&l->figure[i].s, l->figure[i].run_s);
		l->figure[i].run_s = 0;
	}
}

/*
 * Reads the list after list, of objects: each has a number and, after it, a
 * name. In JSON the end of a list is in no string: quotes there have a
 * backslash.
 */
static void read_list(struct figure_list *l, const char *json, const char *list,
		      const char *number, const char *name)
{
	const char *from = strstr(json, list), *to;
	double seconds;
	char *text;

	if (!from)
		return;
	from += strlen(list);
	to = *from == ']' ? from : strstr(from, "}],\"");
	to = to ? to : from + strlen(from);
	while (!read_number(&from, number, &seconds) && from < to &&
	       (text = read_string(&from, name)) != NULL)
		add_seconds(l, text, seconds);
}

int figures_add_run(struct run_figures *f, const struct stages *s)
{
	char *json = read_json(s);
	const char *at = json;
	double seconds;

	if (!json || read_number(&at, "\"run_s\":", &seconds)) {
		tape_warn("%s has no figures", stages_best(s));
		free(json);
		return -1;
	}
	tape_sample_add(&f->run_s, seconds);
	read_list(&f->causes, at, "\"causes\":[", "\"seconds\":",
		  "\"activity\":\"");
	read_list(&f->calls, at, "\"calls\":[", "\"total_s\":",
		  "\"call_site\":\"");
	end_run(&f->causes, f->run_s.n);
	end_run(&f->calls, f->run_s.n);
	free(json);
	return 0;
}

static int compare_means(const void *a, const void *b)
{
	const struct named_figure *x = a, *y = b;

	if (x->s.mean != y->s.mean)
		return x->s.mean < y->s.mean ? 1 : -1;
	return strcmp(x->name, y->name);
}

void figures_sort(struct figure_list *l)
{
	if (l->n)
		qsort(l->figure, l->n, sizeof *l->figure, compare_means);
}
