/* Program units and procedures of Fortran; see units.h. */
#include <string.h>

#include "units.h"

/* ---- words ---- */

static int in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '$';
}

size_t tape_word(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && in_word(p[n]))
		n++;
	return n && (p[0] < '0' || p[0] > '9') ? n : 0;
}

int tape_word_is(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(p, word, n);
}

const char *tape_past_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

const char *tape_past_parens(const char *p, const char *end)
{
	size_t depth = 0;

	/* of strings nothing but their quotes is there */
	for (; p < end; p++) {
		depth += *p == '(';
		if (*p == ')' && !--depth)
			return p + 1;
	}
	return NULL;
}

static int is_among_words(const char *p, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (tape_word_is(p, n, *words))
			return 1;
	return 0;
}

/* ---- the stack ---- */

static int push_unit(struct tape_units *u, const char *name, size_t n)
{
	if (u->depth < TAPE_UNITS_DEPTH) {
		n = n < TAPE_UNIT_NAME - 1 ? n : TAPE_UNIT_NAME - 1;
		memcpy(u->name[u->depth], name, n);
		u->name[u->depth][n] = '\0';
	}
	u->depth++;
	return 1;
}

const char *tape_units_name(const struct tape_units *u)
{
	if (!u->depth || u->depth > TAPE_UNITS_DEPTH)
		return "";
	return u->name[u->depth - 1];
}

/* ---- statements ---- */

/* end, or end subroutine and its kind; p is after the word end. */
static int end_unit(struct tape_units *u, const char *p, const char *end)
{
	static const char *const kinds[] = {
	    "subroutine", "function",  "program",   "module",
	    "submodule",  "procedure", "blockdata", NULL};
	size_t n;

	p = tape_past_blanks(p, end);
	n = tape_word(p, end);
	/* a program or a module can not end within an interface */
	if (tape_word_is(p, n, "interface") || tape_word_is(p, n, "program") ||
	    tape_word_is(p, n, "module"))
		u->in_interface = 0;
	if (u->in_interface)
		return 0;
	if (tape_word_is(p, n, "block")) {
		p = tape_past_blanks(p + n, end);
		n = tape_word(p, end);
		if (!tape_word_is(p, n, "data"))
			return 0;
	} else if (p < end && !is_among_words(p, n, kinds)) {
		return 0;
	}
	if (u->depth && !--u->depth)
		u->in_submodule = 0;
	return 1;
}

/* What may stand before subroutine and function. */
static const char *past_prefix(const char *p, const char *end)
{
	static const char *const words[] = {
	    "recursive", "non_recursive",   "pure",	 "impure", "elemental",
	    "module",	 "integer",	    "real",	 "double", "precision",
	    "complex",	 "logical",	    "character", "type",   "class",
	    "byte",	 "doubleprecision", NULL};
	size_t n;

	for (;;) {
		p = tape_past_blanks(p, end);
		n = tape_word(p, end);
		if (!n || !is_among_words(p, n, words))
			return p;
		p = tape_past_blanks(p + n, end);
		if (p < end && *p == '*') {
			p = tape_past_blanks(p + 1, end);
			while (p < end && *p >= '0' && *p <= '9')
				p++;
		}
		if (p < end && *p == '(' && !(p = tape_past_parens(p, end)))
			return end;
	}
}

/* [prefix] subroutine NAME or function NAME( */
static int begins_procedure(struct tape_units *u, const char *p,
			    const char *end)
{
	const char *behind;
	size_t n, name;
	int function;

	p = past_prefix(p, end);
	n = tape_word(p, end);
	function = tape_word_is(p, n, "function");
	if (!function && !tape_word_is(p, n, "subroutine"))
		return 0;
	p = tape_past_blanks(p + n, end);
	name = tape_word(p, end);
	behind = tape_past_blanks(p + name, end);
	if (!name || (function && (behind == end || *behind != '(')))
		return 0;
	return push_unit(u, p, name);
}

/* module NAME, and in a submodule: module procedure NAME */
static int begins_module(struct tape_units *u, const char *p, const char *end)
{
	size_t n;

	p = tape_past_blanks(p, end);
	n = tape_word(p, end);
	if (tape_past_blanks(p + n, end) == end)
		return n ? push_unit(u, p, n) : 0;
	if (!u->in_submodule || !tape_word_is(p, n, "procedure"))
		return 0;
	p = tape_past_blanks(p + n, end);
	n = tape_word(p, end);
	return n ? push_unit(u, p, n) : 0;
}

static int begins_submodule(struct tape_units *u, const char *p,
			    const char *end)
{
	p = tape_past_blanks(p, end);
	p = p < end && *p == '(' ? tape_past_parens(p, end) : NULL;
	if (!p)
		return 0;
	p = tape_past_blanks(p, end);
	u->in_submodule = 1;
	return push_unit(u, p, tape_word(p, end));
}

/* program NAME, block data [NAME] */
static int begins_alone(struct tape_units *u, const char *p, const char *end)
{
	size_t n;

	p = tape_past_blanks(p, end);
	n = tape_word(p, end);
	return tape_past_blanks(p + n, end) == end ? push_unit(u, p, n) : 0;
}

/* a = b, but not end function f(x) bind(c, name = 'f') */
static int is_assignment(const char *p, const char *end)
{
	const char *behind;

	for (; p < end; p++) {
		if (*p == '=')
			return 1;
		if (*p == '(') {
			behind = tape_past_parens(p, end);
			if (!behind)
				return 0;
			p = behind - 1;
		}
	}
	return 0;
}

int tape_units_statement(struct tape_units *u, const char *s, const char *end)
{
	const char *p = tape_past_blanks(s, end), *behind;
	size_t n = tape_word(p, end);

	while (end > p && end[-1] == ' ')
		end--;
	if (!n || is_assignment(p, end))
		return 0;
	behind = p + n;
	if (n >= 3 && !memcmp(p, "end", 3))
		return end_unit(u, p + 3, end);
	if (tape_word_is(p, n, "abstract")) {
		p = tape_past_blanks(behind, end);
		n = tape_word(p, end);
	}
	if (tape_word_is(p, n, "interface"))
		u->in_interface = 1;
	else if (tape_word_is(p, n, "contains"))
		u->in_interface = 0;
	if (u->in_interface)
		return 0;
	if (tape_word_is(p, n, "program") || tape_word_is(p, n, "blockdata"))
		return begins_alone(u, behind, end);
	if (tape_word_is(p, n, "submodule"))
		return begins_submodule(u, behind, end);
	if (tape_word_is(p, n, "module") && begins_module(u, behind, end))
		return 1;
	if (tape_word_is(p, n, "block")) {
		p = tape_past_blanks(behind, end);
		n = tape_word(p, end);
		return tape_word_is(p, n, "data") &&
		       begins_alone(u, p + n, end);
	}
	return begins_procedure(u, p, end);
}

void tape_units_cpp(struct tape_units *u, const char *p, const char *end,
		    unsigned depth)
{
	size_t n = tape_word(p, end);

	if (!depth || depth > TAPE_UNITS_DEPTH)
		return;
	if (n >= 2 && !memcmp(p, "if", 2))
		u->before[depth - 1] = u->depth;
	else if (n >= 3 && !memcmp(p, "el", 2))
		u->depth = u->before[depth - 1];
}
