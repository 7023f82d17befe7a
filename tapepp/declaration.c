/* Declarations by their tokens; see declaration.h. */
#include <string.h>

#include "declaration.h"

int tape_before_expression(const struct tape_source *s, size_t i)
{
	static const char *const words[] = {
	    "return",	     "else", "do", "case", "sizeof",
	    "__extension__", "and",  "or", "not",  NULL};

	return i >= s->count || s->tokens[i].kind != TAPE_IDENTIFIER ||
	       tape_source_among(s, i, words);
}

int tape_is_type(const struct tape_source *s, size_t i)
{
	static const char *const words[] = {
	    "int",  "extern", "static", "inline",   "double",
	    "void", "long",   "char",	"unsigned", NULL};

	return tape_source_among(s, i, words);
}

int tape_is_variable(const struct tape_source *s, size_t i,
		     const size_t *before)
{
	int star = tape_source_code(s, before[0]) == '*';
	int next = tape_source_code(s, i + 1);
	int code = tape_source_code(s, before[2]);

	/* in parentheses, after a type: a pointer to a function */
	if (star && tape_source_code(s, before[1]) == '(')
		return code == '*' || !tape_before_expression(s, before[2]);
	if (!next || !strchr("=;,)[", next))
		return 0;
	return !tape_before_expression(s, before[star]);
}

/* The token after the parenthesis that closes the one at i. */
static size_t past_group(const struct tape_source *s, size_t i)
{
	size_t open = 0;

	for (; i < s->count; i++) {
		int code = tape_source_code(s, i);

		if (code == '(')
			open++;
		else if (code == ')' && !--open)
			return i + 1;
	}
	return i;
}

/* Two words in a row, or the first with * after it, begin a declaration. */
static int begins_declaration(const struct tape_source *s, size_t i)
{
	static const char *const words[] = {
	    "const",  "register", "volatile", "short", "float", "signed",
	    "struct", "union",	  "enum",     "auto",  "goto",	NULL};

	if (tape_is_type(s, i) || tape_source_among(s, i, words))
		return 1;
	return !tape_before_expression(s, i) &&
	       !tape_before_expression(s, i + 1);
}

int tape_is_declarator(const struct tape_source *s, size_t start, size_t i)
{
	size_t open = 0;
	int assigned = 0;

	if (!begins_declaration(s, start))
		return 0;
	for (; start < i; start++) {
		int code = tape_source_code(s, start);

		if (code == '(' || code == '[' || code == '{')
			open++;
		else if (code == ')' || code == ']' || code == '}')
			open -= open > 0;
		else if (!open && (code == '=' || code == ','))
			assigned = code == '=';
	}
	return !open && !assigned;
}

int tape_is_defined(const struct tape_source *s, size_t i)
{
	static const char *const asides[] = {"__attribute__", "__attribute",
					     "asm", "__asm", "__asm__", NULL};

	i = past_group(s, i + 1);
	while (tape_source_among(s, i, asides) &&
	       tape_source_code(s, i + 1) == '(')
		i = past_group(s, i + 1);
	/* of the old style: declarations of its parameters come first */
	return tape_source_code(s, i) == '{' ||
	       (i < s->count && s->tokens[i].kind == TAPE_IDENTIFIER);
}

int tape_opens_members(const struct tape_source *s, const size_t *before)
{
	static const char *const words[] = {"struct", "union", NULL};

	return tape_source_among(s, before[0], words) ||
	       (!tape_before_expression(s, before[0]) &&
		tape_source_among(s, before[1], words));
}
