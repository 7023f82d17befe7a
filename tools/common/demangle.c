/* C++ and Fortran names; see demangle.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

#ifdef TAPE_HAVE_CXX
/* Of the C++ library's interface (Itanium C++ ABI, 3.4); it has no C header. */
char *__cxa_demangle(const char *name, char *to, size_t *n, int *status);
#endif

static int opens(char c)
{
	return c == '(' || c == '<' || c == '[' || c == '{';
}

static int closes(char c)
{
	return c == ')' || c == '>' || c == ']' || c == '}';
}

/*
 * "operator" and the symbols after it: length of the word at s, or 0. Its
 * brackets are none: operator(), operator<, operator->.
 */
static size_t operator_at(const char *start, const char *s)
{
	static const char word[] = "operator";
	size_t n = sizeof word - 1;

	if (strncmp(s, word, n) || (s > start && !strchr(": *&", s[-1])))
		return 0;
	if (!strncmp(s + n, "()", 2) || !strncmp(s + n, "[]", 2))
		return n + 2;
	return n + strspn(s + n, "+-*/%^&|~!=<>,");
}

/*
 * The parameters begin at the last bracket that nothing encloses, "(anonymous
 * namespace)" and "(...)::" aside; the name begins after the last blank
 * before that which nothing encloses.
 */
const char *tape_demangle_shorten(const char *full, char *to, size_t n)
{
	const char *from = full, *end = NULL, *s = full;
	int depth = 0, operator_seen = 0;

	while (*s) {
		size_t skip = depth ? 0 : operator_at(full, s);

		if (skip) {
			s += skip;
			operator_seen = 1; /* "operator new", "operator int" */
			continue;
		}
		if (*s == '(' && !depth) {
			end = s;
			if (s == from)
				end = NULL;
		}
		if (opens(*s))
			depth++;
		else if (closes(*s) && depth)
			depth--;
		else if (*s == ' ' && !depth && !operator_seen && !end)
			from = s + 1;
		/* what is in brackets was a scope: the name goes on */
		if (*s == ')' && !depth && s[1] == ':') {
			end = NULL;
			operator_seen = 0;
		}
		s++;
	}
	if (!end || end <= from)
		end = s;
	if (snprintf(to, n, "%.*s", (int)(end - from), from) >= (int)n)
		memcpy(to + n - 4, "...", 4);
	return to;
}

const char *tape_demangle(const char *name, char *to, size_t n)
{
	const char *fortran = strstr(name, "_MOD_");
	char *full = NULL;

#ifdef TAPE_HAVE_CXX
	int status;

	if (!strncmp(name, "_Z", 2))
		full = __cxa_demangle(name, NULL, NULL, &status);
#endif
	if (full)
		tape_demangle_shorten(full, to, n);
	else if (snprintf(to, n, "%s", !strncmp(name, "__", 2) && fortran
					       ? fortran + 5
					       : name) >= (int)n)
		memcpy(to + n - 4, "...", 4);
	free(full);
	return to;
}
