/* See verbs.h. */
#include <stdlib.h>
#include <string.h>

#include "argument_list.h"
#include "called_programs.h"
#include "tool.h"
#include "verbs.h"

static const char *const questions[QUESTIONS] = {
    [QUESTION_RECORD] = "What does my program do? (record it)",
    [QUESTION_TIME] = "Where does the time go?",
    [QUESTION_CLOCKS] = "Are the times right?",
    [QUESTION_ELSEWHERE] = "What would it cost elsewhere?",
    [QUESTION_SHOW] = "Show it to me",
    [QUESTION_FORMATS] = "Parts and other formats",
};

/* Most letters in which a wrong word differs from the verb that was meant. */
enum { NEAR = 2 };

const struct tape_program *verb_find(const char *word)
{
	for (const struct tape_program *p = tape_programs; p->name; p++)
		if (!strcmp(p->verb, word) || !strcmp(p->name, word))
			return p;
	return NULL;
}

int verb_is_own(const struct tape_program *p)
{
	return !strncmp(p->name, "tape ", 5);
}

/* Keeps the name if it is nearer to the word than the best one so far. */
static void keep_nearest(const char *word, const char *name, int *distance,
			 const char **best)
{
	int d = tape_word_distance(word, name);

	if (d < *distance) {
		*distance = d;
		*best = name;
	}
}

const char *verb_nearest(const char *word)
{
	const char *best = NULL;
	int distance = NEAR + 1;

	for (const struct tape_program *p = tape_programs; p->name; p++) {
		keep_nearest(word, p->verb, &distance, &best);
		if (!strchr(p->name, ' '))
			keep_nearest(word, p->name, &distance, &best);
	}
	/* of a short word nothing may be left */
	return distance < (int)strlen(word) ? best : NULL;
}

char *verb_program(const struct tape_program *p)
{
	return tape_must(strndup(p->name, strcspn(p->name, " ")));
}

void verb_become(const struct tape_program *p, int argc, char **argv)
{
	const char *rest = strchr(p->name, ' ');
	struct argument_list a = {0};

	arguments_add(&a, program_need(verb_program(p)));
	if (rest)
		arguments_add(&a, rest + 1);
	if (argc > 1)
		arguments_add_all(&a, argv + 1);
	program_become(a.word);
}

static void print_question(enum tape_question q, FILE *to)
{
	int column = 0;

	fprintf(to, "%s\n", questions[q]);
	for (const struct tape_program *p = tape_programs; p->name; p++) {
		if (p->question != q)
			continue;
		if (column)
			fprintf(to, " %-10s %s\n", p->verb, p->short_purpose);
		else
			fprintf(to, "  %-10s %-26s", p->verb, p->short_purpose);
		column = !column;
	}
	if (column)
		fputc('\n', to);
}

void verbs_print(FILE *to)
{
	fputs("usage: tape VERB [argument ...]\n", to);
	for (int q = 0; q < QUESTIONS; q++)
		print_question((enum tape_question)q, to);
	fputs("tape help VERB explains a verb\n", to);
}
