/* See program_options.h. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "first_of_job.h"
#include "program_options.h"

enum { MOST_OPTIONS = 64, HELP_COLUMN = 28, LONGEST_WORD = 32 };

/* Old forms that have been named on standard error, by their code. */
static unsigned char is_named[512];

const struct tape_program *tape_program_named(const char *name)
{
	for (const struct tape_program *p = tape_programs; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

const struct tape_option *tape_option_find(const struct tape_program *p,
					   int code)
{
	for (const struct tape_option *o = p->options; o->name; o++)
		if (o->code == code && o->old != OLD_NAME)
			return o;
	return NULL;
}

static int argument_kind(const struct tape_option *o)
{
	if (!o->argument)
		return no_argument;
	return *o->argument == '[' ? optional_argument : required_argument;
}

/* Another entry of the same name stands before this one in the list. */
static int is_repeated(const struct tape_option *list,
		       const struct tape_option *o)
{
	for (; list < o; list++)
		if (!strcmp(list->name, o->name))
			return 1;
	return 0;
}

/* Appends the options of a list to those of getopt_long(). */
static int add_options(const struct tape_option *list, struct option *longer,
		       int n, char *letters)
{
	char *to = letters + strlen(letters);

	for (const struct tape_option *o = list;
	     o->name && n < MOST_OPTIONS - 1; o++) {
		int kind = argument_kind(o);

		/* a name with two letters is not ambiguous */
		if (!is_repeated(list, o))
			longer[n++] = (struct option){o->name, kind, NULL,
						      o->code};
		if (o->code >= OPTION_FIRST)
			continue;
		*to++ = (char)o->code;
		if (kind != no_argument)
			*to++ = ':';
	}
	*to = '\0';
	return n;
}

/* Names an old form and what replaces it: once, in one process of a job. */
static void name_old(const struct tape_program *p, int code, int index,
		     const struct option *longer)
{
	const struct tape_option *o = tape_option_find(p, code);
	int by_letter = index < 0;

	if (!o || is_named[code] || !tape_is_first_of_job())
		return;
	if (by_letter && o->old == OLD_LETTER)
		fprintf(stderr,
			"%s: -%c is an old form: --%s replaces it in the next "
			"version\n",
			p->name, code, o->name);
	else if (!by_letter && strcmp(longer[index].name, o->name))
		fprintf(stderr,
			"%s: --%s is an old form: --%s replaces it in the next "
			"version\n",
			p->name, longer[index].name, o->name);
	else
		return;
	is_named[code] = 1;
}

/* The code is one of the program's options. */
static int is_known(const struct tape_program *p, int code)
{
	for (const struct tape_option *o = tape_common_options; o->name; o++)
		if (o->code == code)
			return 1;
	return tape_option_find(p, code) != NULL;
}

/*
 * Says which option is unknown, or lacks its value. getopt_long() has set
 * optopt to 0 for a word that is no option, to the option's code where that
 * takes no value, or to the letter that is none.
 */
static void print_wrong(const struct tape_program *p, int c, char **argv)
{
	const char *word = argv[optind - 1];
	int is_long = !strncmp(word, "--", 2) ||
		      (p->order == OPTIONS_ONE_DASH && word[1] && word[2]);

	if (c == ':' && is_long)
		fprintf(stderr, "%s: %s: the value is missing\n", p->name,
			word);
	else if (c == ':')
		fprintf(stderr, "%s: -%c: the value is missing\n", p->name,
			optopt);
	else if (optopt && is_known(p, optopt))
		fprintf(stderr, "%s: %s: this option takes no value\n", p->name,
			word);
	else if (!optopt)
		fprintf(stderr,
			"%s: %s: there is no such option, or more than "
			"one begins so\n",
			p->name, word);
	else
		fprintf(stderr, "%s: -%c: there is no such option\n", p->name,
			optopt);
	fprintf(stderr, "%s --help lists the options\n", p->name);
}

int tape_option_try(const char *program, int argc, char **argv)
{
	const struct tape_program *p = tape_program_named(program);
	struct option longer[MOST_OPTIONS] = {{0}};
	char letters[4 * MOST_OPTIONS];
	int c, n, index = -1;

	strcpy(letters, p->order == OPTIONS_ANYWHERE ? ":" : "+:");
	n = add_options(tape_common_options, longer, 0, letters);
	add_options(p->options, longer, n, letters);
	opterr = 0;
	if (p->order == OPTIONS_ONE_DASH)
		c = getopt_long_only(argc, argv, letters, longer, &index);
	else
		c = getopt_long(argc, argv, letters, longer, &index);
	if (c == 'h') {
		tape_option_help(p, stdout);
		exit(0);
	}
	if (c == 'V') {
		printf("%.*s %s\n", (int)strcspn(p->name, " "), p->name,
		       TAPE_VERSION);
		exit(0);
	}
	if (c == '?' || c == ':') {
		print_wrong(p, c, argv);
		return '?';
	}
	if (c != -1)
		name_old(p, c, index, longer);
	return c;
}

int tape_option_next(const char *program, int argc, char **argv)
{
	int c = tape_option_try(program, argc, argv);

	if (c == '?')
		exit(2);
	return c;
}

void tape_option_refuse(const char *program, int code)
{
	const struct tape_program *p = tape_program_named(program);
	const struct tape_option *o = tape_option_find(p, code);

	if (o && optarg)
		fprintf(stderr, "%s: --%s '%s': this is no valid %s\n", program,
			o->name, optarg, o->argument ? o->argument : "value");
	else if (o)
		fprintf(stderr, "%s: --%s is not possible here\n", program,
			o->name);
	fprintf(stderr, "%s --help lists the options\n", program);
	exit(2);
}

/* Prints the forms of the synopsis, a line each. */
static void print_usage(const struct tape_program *p, FILE *to)
{
	const char *second = strchr(p->synopsis, '\n');
	int n = second ? (int)(second - p->synopsis) : (int)strlen(p->synopsis);

	fprintf(to, "usage: %s %.*s\n", p->name, n, p->synopsis);
	if (second)
		fprintf(to, "       %s\n", second + 1);
}

void tape_option_usage(const char *program)
{
	print_usage(tape_program_named(program), stderr);
	fprintf(stderr, "%s --help lists the options\n", program);
	exit(2);
}

static void print_options(const struct tape_option *list, FILE *to)
{
	for (const struct tape_option *o = list; o->name; o++) {
		int n;

		if (o->old == OLD_NAME || is_repeated(list, o))
			continue;
		if (o->code < OPTION_FIRST && !o->old)
			n = fprintf(to, "  -%c, --%s", o->code, o->name);
		else
			n = fprintf(to, "      --%s", o->name);
		if (argument_kind(o) == optional_argument)
			n += fprintf(to, "[=%s", o->argument + 1);
		else if (o->argument)
			n += fprintf(to, " %s", o->argument);
		if (n >= HELP_COLUMN - 1)
			n = fprintf(to, "\n") - 1;
		fprintf(to, "%*s%s\n", HELP_COLUMN - n, "", o->help);
	}
}

void tape_option_help(const struct tape_program *p, FILE *to)
{
	print_usage(p, to);
	fprintf(to, "\n%s\n\n", p->purpose);
	print_options(p->options, to);
	print_options(tape_common_options, to);
}

static int smaller_of(int a, int b)
{
	return a < b ? a : b;
}

int tape_word_distance(const char *a, const char *b)
{
	int d[LONGEST_WORD + 1][LONGEST_WORD + 1];
	int n = (int)strnlen(a, LONGEST_WORD),
	    m = (int)strnlen(b, LONGEST_WORD);

	for (int i = 0; i <= n; i++)
		d[i][0] = i;
	for (int j = 0; j <= m; j++)
		d[0][j] = j;
	for (int i = 1; i <= n; i++)
		for (int j = 1; j <= m; j++) {
			int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d[i][j] = smaller_of(
			    smaller_of(d[i - 1][j], d[i][j - 1]) + 1, change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = smaller_of(d[i][j],
						     d[i - 2][j - 2] + 1);
		}
	return d[n][m];
}
