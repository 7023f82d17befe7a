/*
 * The options of every program: one table (programs.c), from which programs
 * read their arguments and print their help, and tape(1) prints the completion
 * of command lines.
 */
#ifndef TAPE_PROGRAM_OPTIONS_H
#define TAPE_PROGRAM_OPTIONS_H

#include <stdio.h>

/* Codes of options that have no letter. */
enum tape_option_code {
	OPTION_FIRST = 256,
	OPTION_BANDWIDTH,
	OPTION_BASELINE,
	OPTION_BURSTS,
	OPTION_CFG,
	OPTION_COLLECTIVES,
	OPTION_COLUMNS,
	OPTION_CONSUME,
	OPTION_EAGER,
	OPTION_ENGINE,
	OPTION_FAIL_BELOW,
	OPTION_FROM,
	OPTION_HISTORY,
	OPTION_HOST_SPEED,
	OPTION_HOSTFILE,
	OPTION_HOSTS,
	OPTION_HTTP,
	OPTION_KEEP,
	OPTION_LATENCY,
	OPTION_LEVEL,
	OPTION_LINE_EVERY,
	OPTION_MAP,
	OPTION_MATRIX,
	OPTION_MEASURED,
	OPTION_NOISE,
	OPTION_NO_GRAPHVIZ,
	OPTION_NO_PHASES,
	OPTION_NO_TOKEN,
	OPTION_NP,
	OPTION_PER_HOST,
	OPTION_PHASE,
	OPTION_PHASES,
	OPTION_PLATFORM,
	OPTION_PLUGIN,
	OPTION_PLUGIN_MEMORY,
	OPTION_PLUGIN_WAIT,
	OPTION_PNG,
	OPTION_PROCESSES,
	OPTION_RANK_SPEED,
	OPTION_RATE,
	OPTION_REFERENCE,
	OPTION_REPORT,
	OPTION_ROUND_ROBIN,
	OPTION_SIMULATE,
	OPTION_SITE,
	OPTION_SOURCE,
	OPTION_SPEED,
	OPTION_SPOOL,
	OPTION_SPOOLED,
	OPTION_SVG,
	OPTION_TO,
	OPTION_TOP,
	OPTION_TRACE,
	OPTION_WEAK,
	OPTION_WINDOW,
	OPTION_WORKERS,
};

/* Forms of an option that remain for one version. */
enum {
	OLD_LETTER = 1, /* the letter has another meaning in other programs */
	OLD_NAME = 2,	/* another long name of the same code replaces this */
};

struct tape_option {
	int code;	      /* a letter, or one of enum tape_option_code */
	const char *name;     /* of the long form, without "--" */
	const char *argument; /* what the value is; "[X]": optional; or NULL */
	const char *help;     /* one line, at most 52 characters */
	int old;	      /* 0, OLD_LETTER or OLD_NAME */
};

/* How a program reads its arguments. */
enum tape_options_order {
	OPTIONS_ANYWHERE, /* options may follow operands */
	OPTIONS_FIRST,	  /* the first operand ends the options */
	OPTIONS_ONE_DASH, /* likewise, and "-np 4" is "--np 4" */
	OPTIONS_FOREIGN,  /* they are those of a compiler */
};

/* The question that a program answers: a heading of tape help. */
enum tape_question {
	QUESTION_RECORD,
	QUESTION_TIME,
	QUESTION_CLOCKS,
	QUESTION_ELSEWHERE,
	QUESTION_SHOW,
	QUESTION_FORMATS,
	QUESTIONS
};

struct tape_program {
	const char *name; /* "tapedump", or "tape run" */
	const char *verb; /* as in "tape dump" */
	enum tape_question question;
	const char *short_purpose; /* a few words, for tape help */
	const char *purpose;	   /* one line */
	const char *synopsis;	   /* operands; "\n" begins another form */
	const struct tape_option *options; /* ends with a name of NULL */
	enum tape_options_order order;
};

/* All programs and verbs of tape, in the order of tape help; the last has a
 * name of NULL. */
extern const struct tape_program tape_programs[];

/* Options that every program has: --help and --version; ends as above. */
extern const struct tape_option tape_common_options[];

/* Returns the program of that name, or NULL. */
const struct tape_program *tape_program_named(const char *name);

/* Returns the program's option of that code, or NULL. */
const struct tape_option *tape_option_find(const struct tape_program *p,
					   int code);

/*
 * Reads the next option, like getopt(): returns its code, with optarg and
 * optind set, or -1 after the last. Handles --help and --version itself. Ends
 * the program with status 2 after a message if an option is unknown or lacks
 * its value. The first use of an old form is named on standard error, with
 * what replaces it, in the first process of a job only.
 */
int tape_option_next(const char *program, int argc, char **argv);

/* Like tape_option_next(), but returns '?' in place of ending the program. */
int tape_option_try(const char *program, int argc, char **argv);

/* Prints that optarg is no value of the option, and ends with status 2. */
__attribute__((noreturn)) void tape_option_refuse(const char *program,
						  int code);

/* Prints the usage on standard error and ends with status 2: operands are
 * missing, or options contradict each other. */
__attribute__((noreturn)) void tape_option_usage(const char *program);

/* Prints the help of the program: usage, purpose, options. */
void tape_option_help(const struct tape_program *p, FILE *to);

/*
 * Returns how different two words are: letters inserted, left out, replaced,
 * and exchanged with their neighbour. At most 32 letters of each count.
 */
int tape_word_distance(const char *a, const char *b);

#endif
