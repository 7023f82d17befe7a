/*
 * tapepp: reads a C or Fortran source and writes it with its calls rerouted.
 * reroute.c and fortran.c do the work; this file has files and messages.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "expanded.h"
#include "growing_array.h"
#include "program_options.h"
#include "reroute.h"

/* Forms of a source: C, or the columns of tape_reroute_fortran. */
enum { FORM_UNKNOWN = -2, FORM_C, FORM_FREE, FORM_FIXED = 72 };

__attribute__((noreturn)) static void exit_with_error(const char *file,
						      const char *why)
{
	fprintf(stderr, "tapepp: %s: %s\n", file, why);
	exit(1);
}

/* The whole file; "-" is standard input. */
static char *read_source(const char *name, size_t *n)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "rb") : stdin;
	size_t size = 65536, got;
	char *p = malloc(size);

	*n = 0;
	if (!f)
		exit_with_error(name, strerror(errno));
	while (p && (got = fread(p + *n, 1, size - *n, f))) {
		*n += got;
		p = tape_grow_array(p, &size, *n + 1, 1);
	}
	if (!p)
		exit_with_error(name, tape_error_text(TAPE_ENOMEM));
	if (ferror(f))
		exit_with_error(name, strerror(errno));
	if (f != stdin)
		fclose(f);
	return p;
}

/* A word of the list of sites, with tabs and newlines escaped. */
static void print_word(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '\t' || *s == '\n' || *s == '\\')
			fprintf(f, "\\%c",
				*s == '\t'   ? 't'
				: *s == '\n' ? 'n'
					     : '\\');
		else
			putc(*s, f);
}

static void print_sites(FILE *f, const struct tape_rerouted *r)
{
	for (size_t i = 0; i < r->site_count; i++) {
		const struct tape_reroute_site *s = &r->sites[i];

		print_word(f, s->file);
		fprintf(f, "\t%d\t%s\t", s->line, s->name);
		print_word(f, s->function);
		putc('\n', f);
	}
}

static void print_reports(const struct tape_rerouted *r)
{
	for (size_t i = 0; i < r->report_count; i++) {
		const struct tape_reroute_report *p = &r->reports[i];

		fprintf(stderr,
			"%s:%d: %s: %s, not traced through its call site\n",
			p->file, p->line, p->name, tape_left_text(p->why));
	}
}

static int print_result(FILE *f, const struct tape_rerouted *r, int list)
{
	if (list)
		print_sites(f, r);
	else if (r->n)
		fwrite(r->text, 1, r->n, f);
	return fflush(f) || ferror(f);
}

/*
 * A file appears whole or not at all: it is written under another name, then
 * renamed. An existing non-file, such as /dev/null, is written directly.
 */
static void write_file(const char *name, const struct tape_rerouted *r,
		       int list)
{
	struct stat st;
	int special = !stat(name, &st) && !S_ISREG(st.st_mode);
	char *beside = malloc(strlen(name) + 8);
	mode_t mask = umask(0);
	FILE *f;
	int fd;

	umask(mask);
	if (!beside)
		exit_with_error(name, tape_error_text(TAPE_ENOMEM));
	sprintf(beside, "%s.XXXXXX", name);
	if (special) {
		f = fopen(name, "wb");
	} else {
		fd = mkstemp(beside);
		f = fd < 0 ? NULL : fdopen(fd, "wb");
		if (f)
			fchmod(fd, 0666 & ~mask);
	}
	if (!f)
		exit_with_error(name, strerror(errno));
	/* fclose even if print failed, and keep the reason */
	if (print_result(f, r, list) | fclose(f) ||
	    (!special && rename(beside, name))) {
		int e = errno;

		if (!special)
			unlink(beside);
		exit_with_error(name, strerror(e));
	}
	free(beside);
}

/* The form of a file by its name, as compilers see it. */
static int form_of(const char *name)
{
	static const struct {
		const char *suffix;
		int form;
	} forms[] = {
	    {"f", FORM_FIXED},	 {"for", FORM_FIXED}, {"fpp", FORM_FIXED},
	    {"ftn", FORM_FIXED}, {"f77", FORM_FIXED}, {"f90", FORM_FREE},
	    {"f95", FORM_FREE},	 {"f03", FORM_FREE},  {"f08", FORM_FREE},
	    {"f18", FORM_FREE},
	};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof forms / sizeof *forms; i++)
		if (!strcasecmp(dot + 1, forms[i].suffix))
			return forms[i].form;
	return FORM_C;
}

/* The argument of -f: c, free, fixed, or fixed- and the last column. */
static int form_from(const char *word)
{
	int columns, used = 0;

	if (!strcmp(word, "c"))
		return FORM_C;
	if (!strcmp(word, "free"))
		return FORM_FREE;
	if (!strcmp(word, "fixed"))
		return FORM_FIXED;
	if (!strcmp(word, "fixed-none"))
		return INT_MAX - 1;
	if (sscanf(word, "fixed-%5d%n", &columns, &used) == 1 && !word[used] &&
	    columns >= 7)
		return columns;
	return FORM_UNKNOWN;
}

/* With what the preprocessor made of an earlier result, in a file. */
static int reroute_as(const char *expanded, const char *name, const char *text,
		      size_t n, struct tape_rerouted *r)
{
	size_t en;
	char *e = read_source(expanded, &en);
	int rc = tape_reroute_expanded(name, text, n, e, en, r);

	free(e);
	return rc;
}

int main(int argc, char **argv)
{
	const char *output = NULL, *name = NULL, *expanded = NULL;
	int c, rc, list = 0, form = FORM_UNKNOWN;
	struct tape_rerouted r;
	char *text;
	size_t n;

	while ((c = tape_option_next("tapepp", argc, argv)) != -1)
		switch (c) {
		case 'e':
			expanded = optarg;
			break;
		case 'f':
			form = form_from(optarg);
			if (form != FORM_UNKNOWN)
				break;
			tape_option_refuse("tapepp", c);
		case 'n':
			name = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 'r':
			list = 1;
			break;
		}
	if (optind != argc - 1)
		tape_option_usage("tapepp");
	text = read_source(argv[optind], &n);
	if (!name)
		name = strcmp(argv[optind], "-") ? argv[optind] : "<stdin>";
	if (form == FORM_UNKNOWN)
		form = form_of(argv[optind]);
	rc = form != FORM_C ? tape_reroute_fortran(name, text, n, form, &r)
	     : expanded	    ? reroute_as(expanded, name, text, n, &r)
			    : tape_reroute(name, text, n, &r);
	if (rc)
		exit_with_error(argv[optind], tape_error_text(rc));
	if (output && strcmp(output, "-"))
		write_file(output, &r, list);
	else if (print_result(stdout, &r, list))
		exit_with_error("standard output", strerror(errno));
	print_reports(&r);
	tape_rerouted_free(&r);
	free(text);
	return 0;
}
