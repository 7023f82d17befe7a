/* Braces and function names; see context.h. */
#include <string.h>

#include "context.h"

char *tape_source_name(const struct tape_source *s, size_t i, char *to,
		       size_t size)
{
	size_t k = 0;

	if (i < s->count) {
		const char *p = s->text + s->tokens[i].at;
		const char *end = p + s->tokens[i].n;

		for (; p < end && k + 1 < size; p++)
			/* a backslash in a name precedes a newline or a
			 * universal character name */
			if (*p == '\\' && p[1] != 'u' && p[1] != 'U')
				p = memchr(p, '\n', (size_t)(end - p));
			else
				to[k++] = *p;
	}
	to[k] = '\0';
	return to;
}

int tape_source_is(const struct tape_source *s, size_t i, const char *word)
{
	char name[64];

	return i < s->count && s->tokens[i].kind == TAPE_IDENTIFIER &&
	       !strcmp(tape_source_name(s, i, name, sizeof name), word);
}

int tape_source_among(const struct tape_source *s, size_t i,
		      const char *const *words)
{
	for (; *words; words++)
		if (tape_source_is(s, i, *words))
			return 1;
	return 0;
}

int tape_source_code(const struct tape_source *s, size_t i)
{
	return i < s->count && s->tokens[i].kind == TAPE_OTHER
		   ? s->tokens[i].code
		   : 0;
}

void tape_context_start(struct tape_context *c)
{
	memset(c, 0, sizeof *c);
	c->function = c->candidate = TAPE_NONE;
	for (int k = 0; k < 3; k++)
		c->before[k] = TAPE_NONE;
}

/* An identifier at file level, outside of parentheses. */
static void note_file_word(struct tape_context *c, const struct tape_source *s,
			   size_t i)
{
	static const char *const aggregates[] = {"struct", "union", "enum",
						 NULL};
	static const char *const inlines[] = {"inline", "__inline",
					      "__inline__", NULL};
	/* they take parentheses without being a function's name */
	static const char *const others[] = {
	    "__attribute__", "__attribute", "__declspec",
	    "asm",	     "__asm",	    "__asm__",
	    "_Alignas",	     "alignas",	    "__typeof__",
	    "__typeof",	     "typeof",	    "_Static_assert",
	    "static_assert", "_Pragma",	    "_Atomic",
	    "_BitInt",	     NULL};

	if (tape_source_among(s, i, aggregates)) {
		c->aggregate = 1;
	} else if (tape_source_among(s, i, inlines)) {
		c->is_inline = 1;
	} else if (tape_source_is(s, i, "static")) {
		c->is_static = 1;
	} else if (tape_source_code(s, i + 1) == '(' && !c->assigned &&
		   !tape_source_among(s, i, others)) {
		c->candidate = i;
		c->aggregate = 0;
	}
}

static void open_brace(struct tape_context *c, const struct tape_source *s)
{
	size_t last = c->before[0];

	if (c->depth++)
		return;
	if (last < s->count && s->tokens[last].kind == TAPE_STRING &&
	    tape_source_is(s, c->before[1], "extern")) {
		c->depth = 0;
		c->externs++;
		return;
	}
	c->parens = 0;
	c->function = c->aggregate || c->assigned ? TAPE_NONE : c->candidate;
	c->plain_inline = c->is_inline && !c->is_static;
}

static void close_brace(struct tape_context *c, const struct tape_source *s,
			size_t i)
{
	if (s->by_column && s->tokens[i].first && c->depth)
		c->depth = 1;
	if (c->depth > 1) {
		c->depth--;
	} else if (c->depth) {
		c->depth = 0;
		/* after a list or a struct the declaration continues */
		if (c->function != TAPE_NONE)
			c->is_inline = c->is_static = 0;
		c->aggregate = c->plain_inline = 0;
		c->function = c->candidate = TAPE_NONE;
	} else if (c->externs) {
		c->externs--;
	} else {
		c->broken = 1;
	}
}

/* Old-style definitions have declarations, each with its semicolon, between
   the name and the body: the candidate stays. */
static void end_declaration(struct tape_context *c)
{
	c->parens = 0;
	c->aggregate = c->assigned = c->is_inline = c->is_static = 0;
}

void tape_context_next(struct tape_context *c, const struct tape_source *s,
		       size_t i)
{
	const struct tape_token *t = &s->tokens[i];
	int code = tape_source_code(s, i);

	if (code == '{')
		open_brace(c, s);
	else if (code == '}')
		close_brace(c, s, i);
	else if (!c->depth && code == '(')
		c->parens++;
	else if (!c->depth && code == ')')
		c->parens -= c->parens > 0;
	else if (!c->depth && code == ';')
		end_declaration(c);
	else if (!c->depth && !c->parens && code == '=')
		c->assigned = 1;
	else if (!c->depth && !c->parens && t->kind == TAPE_IDENTIFIER)
		note_file_word(c, s, i);
	c->before[2] = c->before[1];
	c->before[1] = c->before[0];
	c->before[0] = i;
}
