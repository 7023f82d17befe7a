/* The file meta of the jobs, and that of the joined trace; see joined_jobs.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "joined_jobs.h"
#include "sort.h"
#include "tape_files.h"
#include "tool.h"

enum { LINES_MAX = 1000 }; /* of one key in one trace */

/* Keys of the joined trace, in their order; those of all jobs, or the first. */
static const struct {
	const char *name;
	int is_of_all;
} keys[JOIN_KEYS] = {{"program", 0}, {"command", 0}, {"date", 0},
		     {"library", 0}, {"version", 0}, {"spawned", 0},
		     {"alpha", 0},   {"eager", 0},   {"filter", 1},
		     {"noise", 0},   {"stream", 1},  {"history", 1}};

/* ---- equal texts ---- */

struct text {
	const char *text;
	size_t index;
};

static int by_text(const void *a, const void *b)
{
	const struct text *x = a, *y = b;
	int d = strcmp(x->text, y->text);

	return d ? d : x->index < y->index ? -1 : x->index > y->index;
}

/* Returns, for each text of the list, the index of the first equal one. */
static size_t *find_firsts(const struct join_list *l)
{
	struct text *sorted = tape_must(malloc((l->n + 1) * sizeof *sorted));
	size_t *first = tape_must(malloc((l->n + 1) * sizeof *first));

	for (size_t i = 0; i < l->n; i++)
		sorted[i] = (struct text){l->text[i], i};
	tape_sort(sorted, l->n, sizeof *sorted, by_text);
	for (size_t i = 0; i < l->n; i++)
		first[sorted[i].index] =
		    i && !strcmp(sorted[i].text, sorted[i - 1].text)
			? first[sorted[i - 1].index]
			: sorted[i].index;
	free(sorted);
	return first;
}

/* ---- reading ---- */

/* Keeps the value of a line, if the joined trace has that key. */
static void keep_value(struct join *j, size_t job, const char *line,
		       size_t *n_lines)
{
	for (size_t k = 0; k < JOIN_KEYS; k++) {
		size_t n = strlen(keys[k].name);

		if (strncmp(line, keys[k].name, n) || line[n] != ' ' ||
		    (job && !keys[k].is_of_all))
			continue;
		if (++n_lines[k] > LINES_MAX)
			tape_die(TAPE_FAILED, "%s/meta: more than %d lines %s",
				 tape_trace_path(j->jobs[job].t), LINES_MAX,
				 keys[k].name);
		join_list_add(&j->meta[k], line + n + 1);
	}
}

/* All jobs have the same layouts of records. */
static void check_classes(struct join *j, size_t job, char *classes)
{
	if (!job) {
		j->classes = classes;
		return;
	}
	if (strcmp(classes, j->classes))
		tape_die(TAPE_FAILED, "%s: its records are not as in %s",
			 tape_trace_path(j->jobs[job].t),
			 tape_trace_path(j->jobs[0].t));
	free(classes);
}

/* Reads meta of one job; its clocks are added after those of other jobs. */
static void read_job(struct join *j, size_t job)
{
	const struct tape_trace *t = j->jobs[job].t;
	size_t n_lines[JOIN_KEYS] = {0}, bytes, n_clocks = j->clocks.n;
	char *classes = NULL, *line;
	FILE *f = tape_must(open_memstream(&classes, &bytes));
	struct join_text x;

	if (join_text_open(&x, t, "meta", TEXT_BYTES_MAX))
		tape_die(TAPE_FAILED, "%s/meta: %s", tape_trace_path(t),
			 strerror(errno));
	while ((line = join_text_line(&x)))
		if (!strncmp(line, "class ", 6)) {
			fprintf(f, "%s\n", line);
		} else if (!strncmp(line, "domain ", 7)) {
			line = strchr(line + 7, ' ');
			join_list_add(&j->clocks, line ? line + 1 : "");
		} else {
			keep_value(j, job, line, n_lines);
		}
	join_text_close(&x);
	if (fclose(f))
		tape_die_no_memory();
	check_classes(j, job, classes);
	if (j->clocks.n - n_clocks != tape_trace_domains(t))
		tape_die(TAPE_FAILED, "%s/meta: changed while it was read",
			 tape_trace_path(t));
}

/* Numbers the clocks of all jobs; equal ones are one clock. */
static void number_clocks(struct join *j)
{
	size_t *first = find_firsts(&j->clocks), n = 0, at = 0;

	for (size_t i = 0; i < j->n; i++) {
		size_t own = tape_trace_domains(j->jobs[i].t);
		uint32_t *clocks = tape_must(calloc(own + 1, sizeof *clocks));

		for (size_t d = 0; d < own; d++, at++) {
			/* a first one has got its number in first[] */
			if (first[at] == at) {
				j->clocks.text[n] = j->clocks.text[at];
				first[at] = n++;
				clocks[d] = (uint32_t)first[at];
			} else {
				clocks[d] = (uint32_t)first[first[at]];
				free(j->clocks.text[at]);
			}
		}
		j->jobs[i].clocks = clocks;
	}
	j->clocks.n = n;
	free(first);
}

/* A value that a joined trace has once has to be the same in all jobs. */
static void check_same(const struct join *j, const char *key)
{
	const char *v = tape_trace_meta(j->jobs[0].t, key, 0), *w;

	for (size_t i = 1; i < j->n; i++) {
		w = tape_trace_meta(j->jobs[i].t, key, 0);
		if (!v != !w || (v && strcmp(v, w)))
			tape_die(TAPE_FAILED,
				 "%s: %s %s, but %s in %s: the traces cannot "
				 "be joined",
				 tape_trace_path(j->jobs[i].t), key,
				 w ? w : "missing", v ? v : "missing",
				 tape_trace_path(j->jobs[0].t));
	}
}

void join_read_meta(struct join *j)
{
	check_same(j, "version");
	check_same(j, "alpha");
	for (size_t i = 0; i < j->n; i++)
		read_job(j, i);
	number_clocks(j);
}

/* ---- writing ---- */

/* The values of a key, each once if they are those of all jobs. */
static void put_values(FILE *f, const struct join *j, size_t key)
{
	const struct join_list *l = &j->meta[key];
	size_t *first = find_firsts(l);

	for (size_t i = 0; i < l->n; i++)
		if (!keys[key].is_of_all || first[i] == i)
			fprintf(f, "%s %s\n", keys[key].name, l->text[i]);
	free(first);
}

void join_write_meta(const struct join *j, struct tape_output *o)
{
	FILE *f = tape_output_stream(o, "meta");

	fputs("tape-trace 1\n", f);
	for (size_t k = 0; k < JOIN_KEYS; k++)
		if (!keys[k].is_of_all)
			put_values(f, j, k);
	fprintf(f, "ranks %d\n%sbase local\n", j->ranks, j->classes);
	for (size_t d = 0; d < j->clocks.n; d++)
		fprintf(f, "domain %zu %s\n", d, j->clocks.text[d]);
	for (size_t k = 0; k < JOIN_KEYS; k++)
		if (keys[k].is_of_all)
			put_values(f, j, k);
	fprintf(f, "history tapejoin %s\n", TAPE_VERSION);
	tape_output_end(o, f, "meta");
}
