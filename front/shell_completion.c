/* See shell_completion.h. Each shell has a script with the table of options
 * written into it, so that completion starts no program. */
#include <stdio.h>
#include <string.h>

#include "shell_completion.h"
#include "program_options.h"
#include "verbs.h"

/* Prints a string for the inside of single quotes; escaped are preceded by a
 * backslash. */
static void put_quoted(const char *s, const char *escaped)
{
	for (; *s; s++) {
		if (strchr(escaped, *s))
			putchar('\\');
		if (*s == '\'')
			fputs("'\\'", stdout);
		putchar(*s);
	}
}

static int has_letter(const struct tape_option *o)
{
	return o->code < OPTION_FIRST && !o->old;
}

static int takes_next_word(const struct tape_option *o)
{
	return o->argument && *o->argument != '[';
}

/* Returns 1 if the value is the name of a file, directory or trace. */
static int is_path(const struct tape_option *o)
{
	static const char *const paths[] = {"FILE", "TRACE", "DIRECTORY",
					    "MODEL", "FILE[:ARGUMENTS]"};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (o->argument && !strcmp(o->argument, paths[i]))
			return 1;
	return 0;
}

/* Calls print for each option of a program that is no old form. */
static void for_options(const struct tape_program *p,
			void (*print)(const struct tape_program *,
				      const struct tape_option *))
{
	const char *last = "";

	for (const struct tape_option *o = p->options; o->name; o++) {
		if (o->old != OLD_NAME && strcmp(o->name, last))
			print(p, o);
		last = o->name;
	}
	/* tape live passes the others on */
	if (!strcmp(p->name, "tape live"))
		for (const struct tape_option *o =
			 tape_program_named("tapelive")->options;
		     o->name; o++)
			if (o->old != OLD_NAME && !tape_option_find(p, o->code))
				print(p, o);
	if (p->order != OPTIONS_FOREIGN)
		for (const struct tape_option *o = tape_common_options; o->name;
		     o++)
			print(p, o);
}

/* ---- bash ---- */

static void print_bash_word(const struct tape_program *p,
			    const struct tape_option *o)
{
	(void)p;
	if (has_letter(o))
		printf("-%c ", o->code);
	printf("--%s%s ", o->name,
	       o->argument && !takes_next_word(o) ? "=" : "");
}

static void print_bash_value(const struct tape_program *p,
			     const struct tape_option *o)
{
	(void)p;
	if (!takes_next_word(o))
		return;
	if (has_letter(o))
		printf("-%c", o->code);
	printf("%s--%s) takes=%s ;; ", has_letter(o) ? "|" : "", o->name,
	       is_path(o) ? "path" : "word");
}

static const char bash_head[] =
    "# Completion of Tape's command lines for bash; tape completion bash.\n"
    "# Sets the options of a program, and what the option $2 takes.\n"
    "_tape_options()\n"
    "{\n"
    "\tcase $1 in\n";

static const char bash_tail[] =
    "\tesac\n"
    "}\n"
    "\n"
    "_tape()\n"
    "{\n"
    "\tlocal word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]##*/}\n"
    "\tlocal options= takes= order=anywhere first=1 i=\n"
    "\n"
    "\tCOMPREPLY=()\n"
    "\tif [ \"$program\" = tape ]; then\n"
    "\t\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "\t\t\tCOMPREPLY=($(compgen -W \"$_tape_verbs\" -- \"$word\")\n"
    "\t\t\t\t$(compgen -d -X '!*.tape' -- \"$word\"))\n"
    "\t\t\treturn\n"
    "\t\tfi\n"
    "\t\tif [ \"${COMP_WORDS[1]}\" = help ]; then\n"
    "\t\t\tCOMPREPLY=($(compgen -W \"$_tape_verbs\" -- \"$word\"))\n"
    "\t\t\treturn\n"
    "\t\tfi\n"
    "\t\tprogram=${COMP_WORDS[1]} first=2\n"
    "\tfi\n"
    "\t[ \"${COMP_WORDS[first]}\" != --simulate ] || program=simulate\n"
    "\tfor ((i = first; i <= COMP_CWORD; i++)); do\n"
    "\t\ttakes=\n"
    "\t\t_tape_options \"$program\" \"${COMP_WORDS[i - 1]}\"\n"
    "\t\t[ $order = first ] && [ -z \"$takes\" ] &&\n"
    "\t\t\t[[ ${COMP_WORDS[i]} != -* ]] && [ $i -lt \"$COMP_CWORD\" ] ||\n"
    "\t\t\tcontinue\n"
    "\t\tif declare -F _command_offset >/dev/null; then\n"
    "\t\t\t_command_offset $i\n"
    "\t\telse\n"
    "\t\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n"
    "\t\tfi\n"
    "\t\treturn\n"
    "\tdone\n"
    "\tif [ \"$takes\" = word ]; then\n"
    "\t\treturn\n"
    "\telif [ -z \"$takes\" ] && [[ $word == -* ]]; then\n"
    "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
    "\telif [ -z \"$takes\" ] && [ $order = first ]; then\n"
    "\t\tCOMPREPLY=($(compgen -c -- \"$word\") $(compgen -f -- \"$word\"))\n"
    "\telif [ -z \"$takes\" ] && [ $order = trace ]; then\n"
    "\t\tCOMPREPLY=($(compgen -d -X '!*.tape' -- \"$word\"))\n"
    "\tfi\n"
    "\t[ ${#COMPREPLY[@]} -ne 0 ] || [[ $word == -* ]] ||\n"
    "\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n"
    "}\n";

/* Returns 1 if the operands of a program are traces. */
static int reads_trace(const struct tape_program *p)
{
	return strstr(p->synopsis, "trace") || strstr(p->synopsis, "before");
}

static void print_bash(void)
{
	fputs(bash_head, stdout);
	for (const struct tape_program *p = tape_programs; p->name; p++) {
		printf("\t%s", p->verb);
		if (!strchr(p->name, ' ') && strcmp(p->name, p->verb))
			printf(" | %s", p->name);
		printf(")\n\t\toptions='");
		for_options(p, print_bash_word);
		printf("'\n");
		if (p->order == OPTIONS_FIRST || p->order == OPTIONS_ONE_DASH)
			printf("\t\torder=first\n");
		if (reads_trace(p))
			printf("\t\torder=trace\n");
		printf("\t\tcase $2 in ");
		for_options(p, print_bash_value);
		printf("*) takes= ;; esac\n\t\t;;\n");
	}
	fputs(bash_tail, stdout);
	printf("_tape_verbs='");
	for (const struct tape_program *p = tape_programs; p->name; p++)
		printf("%s ", p->verb);
	printf("'\ncomplete -o filenames -F _tape tape");
	for (const struct tape_program *p = tape_programs; p->name; p++)
		if (!strchr(p->name, ' '))
			printf(" %s", p->name);
	putchar('\n');
}

/* ---- zsh ---- */

static void print_zsh_value(const struct tape_option *o)
{
	if (!o->argument)
		return;
	/* an optional value follows "=" */
	fputs(takes_next_word(o) ? ":" : "::", stdout);
	put_quoted(o->argument, ":[]");
	fputs(is_path(o) ? ":_files" : ": ", stdout);
}

static void print_zsh_option(const struct tape_program *p,
			     const struct tape_option *o)
{
	(void)p;
	if (has_letter(o)) {
		printf("\t\t\t'*-%c%s[", o->code, o->argument ? "+" : "");
		put_quoted(o->help, "[]:");
		putchar(']');
		print_zsh_value(o);
		fputs("'\n", stdout);
	}
	printf("\t\t\t'*--%s%s[", o->name,
	       !o->argument	    ? ""
	       : takes_next_word(o) ? "="
				    : "=-");
	put_quoted(o->help, "[]:");
	putchar(']');
	print_zsh_value(o);
	fputs("'\n", stdout);
}

static const char zsh_tail[] =
    "\t*)\n"
    "\t\tspecs=('*:file:_files')\n"
    "\tesac\n"
    "}\n"
    "\n"
    "_tape()\n"
    "{\n"
    "\tlocal program=${service:-$words[1]:t}\n"
    "\tlocal -a specs\n"
    "\n"
    "\tif [[ $program == tape ]]; then\n"
    "\t\tif (( CURRENT == 2 )); then\n"
    "\t\t\t_describe verb _tape_verbs\n"
    "\t\t\t_path_files -/ -g '*.tape(/)'\n"
    "\t\t\treturn\n"
    "\t\tfi\n"
    "\t\tprogram=$words[2]\n"
    "\t\tshift words\n"
    "\t\t(( CURRENT-- ))\n"
    "\t\tif [[ $program == help ]]; then\n"
    "\t\t\t_describe verb _tape_verbs\n"
    "\t\t\treturn\n"
    "\t\tfi\n"
    "\tfi\n"
    "\t[[ $words[2] == --simulate ]] && program=simulate\n"
    "\t_tape_specs $program\n"
    "\t_arguments -S $specs\n"
    "}\n"
    "\n"
    "_tape \"$@\"\n";

static void print_zsh(void)
{
	printf("#compdef tape");
	for (const struct tape_program *p = tape_programs; p->name; p++)
		if (!strchr(p->name, ' '))
			printf(" %s", p->name);
	printf("\n# Completion of Tape's command lines for zsh; "
	       "tape completion zsh.\ntypeset -ga _tape_verbs=(\n");
	for (const struct tape_program *p = tape_programs; p->name; p++) {
		printf("\t'%s:", p->verb);
		put_quoted(p->short_purpose, ":");
		printf("'\n");
	}
	printf(")\n\n_tape_specs()\n{\n\tcase $1 in\n");
	for (const struct tape_program *p = tape_programs; p->name; p++) {
		printf("\t%s", p->verb);
		if (!strchr(p->name, ' ') && strcmp(p->name, p->verb))
			printf(" | %s", p->name);
		printf(")\n\t\tspecs=(\n");
		for_options(p, print_zsh_option);
		if (p->order == OPTIONS_FIRST || p->order == OPTIONS_ONE_DASH)
			printf("\t\t\t'(-)1:command:_command_names -e'\n"
			       "\t\t\t'*::argument:_normal'\n");
		else
			printf("\t\t\t'*:file:_files'\n");
		printf("\t\t)\n\t\t;;\n");
	}
	fputs(zsh_tail, stdout);
}

/* ---- fish ---- */

static void print_fish_form(const struct tape_option *o)
{
	if (has_letter(o))
		printf(" -s %c", o->code);
	printf(" -l %s", o->name);
	if (takes_next_word(o))
		printf(is_path(o) ? " -r -F" : " -x");
	printf(" -d '");
	put_quoted(o->help, "");
	printf("'\n");
}

static void print_fish_option(const struct tape_program *p,
			      const struct tape_option *o)
{
	if (!strchr(p->name, ' ')) {
		printf("complete -c %s", p->name);
		print_fish_form(o);
	} else if (!strncmp(p->name, "taperun ", 8)) {
		printf("complete -c taperun -n '__tape_argument --simulate'");
		print_fish_form(o);
	}
	printf("complete -c tape -n '__tape_argument %s %s'", p->verb,
	       strchr(p->name, ' ') ? "" : p->name);
	print_fish_form(o);
}

static const char fish_head[] =
    "# Completion of Tape's command lines for fish; tape completion fish.\n"
    "# True if the first argument is one of these words.\n"
    "function __tape_argument\n"
    "\tset -l words (commandline -opc)\n"
    "\ttest (count $words) -gt 1\n"
    "\tand contains -- $words[2] $argv\n"
    "end\n"
    "\n"
    "function __tape_needs_verb\n"
    "\tset -l words (commandline -opc)\n"
    "\ttest (count $words) -eq 1\n"
    "end\n"
    "\n";

static void print_fish(void)
{
	fputs(fish_head, stdout);
	for (const struct tape_program *p = tape_programs; p->name; p++) {
		printf("complete -c tape -n __tape_needs_verb -a %s -d '",
		       p->verb);
		put_quoted(p->short_purpose, "");
		printf("'\ncomplete -c tape -f -n '__tape_argument help' "
		       "-a %s -d '",
		       p->verb);
		put_quoted(p->short_purpose, "");
		printf("'\n");
		for_options(p, print_fish_option);
	}
}

int completion_print(const char *shell)
{
	if (!strcmp(shell, "bash"))
		print_bash();
	else if (!strcmp(shell, "zsh"))
		print_zsh();
	else if (!strcmp(shell, "fish"))
		print_fish();
	else
		return -1;
	return 0;
}
