/* C++ and Fortran names; see demangle.h. */
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

#ifdef TAPE_HAVE_CXX
/* Of the C++ library's interface (Itanium C++ ABI, 3.4); it has no C header. */
char *__cxa_demangle(const char *name, char *to, size_t *n, int *status);
#endif

static int is_opening(char c)
{
	return c == '(' || c == '<' || c == '[' || c == '{';
}

static int is_closing(char c)
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

static int has_prefix(const char *s, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(s, with, strlen(with));
}

/* The length of "{lambda(int)...}::operator()" at s, or 0. */
static size_t lambda_at(const char *s, size_t n)
{
	static const char call[] = "::operator()";
	size_t k = sizeof "{lambda" - 1;
	int depth = 0;

	if (!has_prefix(s, n, "{lambda("))
		return 0;
	do
		depth += (s[k] == '(') - (s[k] == ')');
	while (++k < n && depth);
	while (k < n && s[k] != '}')
		k++;
	if (k == n)
		return 0;
	k++;
	return has_prefix(s + k, n - k, call) ? k + sizeof call - 1 : k;
}

/*
 * Copies a name of n bytes without what says little: unnamed namespaces, and
 * what tells lambdas apart, for the line does.
 */
static void copy_shortened(const char *from, size_t n, char *to, size_t room)
{
	static const char unnamed[] = "(anonymous namespace)::";
	static const char lambda[] = "{lambda}";
	size_t k = 0, skip;

	while (n && k < room) {
		skip = lambda_at(from, n);
		if (skip && k + sizeof lambda <= room) {
			memcpy(to + k, lambda, sizeof lambda - 1);
			k += sizeof lambda - 1;
		} else if (has_prefix(from, n, unnamed)) {
			skip = sizeof unnamed - 1;
		} else {
			to[k++] = *from;
			skip = 1;
		}
		from += skip;
		n -= skip;
	}
	if (k < room)
		to[k] = '\0';
	else
		memcpy(to + room - 4, "...", 4);
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
		if (is_opening(*s))
			depth++;
		else if (is_closing(*s) && depth)
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
	copy_shortened(from, (size_t)(end - from), to, n);
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
	else if (!strncmp(name, "__", 2) && fortran)
		copy_shortened(fortran + 5, strlen(fortran + 5), to, n);
	else
		copy_shortened(name, strlen(name), to, n);
	free(full);
	return to;
}
