/* Lists of patterns, and what they say of calls; see filter.h. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "compiler.h"
#include "error.h"
#include "filter.h"
#include "tape_calls.h"

/* Asked at the first use of something, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* One word of a list: what follows its sign, n bytes long. */
struct word {
	const char *text;
	size_t n;
	int sign; /* '+', '-' or 0 */
};

/* The next word from *at on: 1, or 0 at the end. */
static int next_list_word(const char **at, struct word *w)
{
	const char *s = *at + strspn(*at, ", ");

	if (!*s)
		return 0;
	w->sign = *s == '-' || *s == '+' ? *s++ : 0;
	w->text = s;
	w->n = strcspn(s, ", ");
	*at = s + w->n;
	return 1;
}

/* The word's pattern as a string; the list was valid, so it fits. */
static const char *copy_pattern(const struct word *w,
				char text[TAPE_LIST_BYTES])
{
	size_t n = w->n < TAPE_LIST_BYTES ? w->n : TAPE_LIST_BYTES - 1;

	memcpy(text, w->text, n);
	text[n] = '\0';
	return text;
}

int tape_list_is_valid(const char *list)
{
	unsigned words = 0;
	struct word w;

	if (strlen(list) >= TAPE_LIST_BYTES)
		return 0;
	for (; next_list_word(&list, &w); words++)
		if (!w.n)
			return 0;
	return words <= TAPE_LIST_WORDS;
}

int tape_list_changes(const char *list)
{
	struct word w;

	return !next_list_word(&list, &w) || w.sign;
}

static enum tape_verdict match_list(const char *list, const char *name,
				    const char *path, uint64_t *hits)
{
	enum tape_verdict says = TAPE_UNSAID;
	char text[TAPE_LIST_BYTES];
	struct word w;

	for (unsigned i = 0; i < TAPE_LIST_WORDS && next_list_word(&list, &w);
	     i++) {
		const char *p = copy_pattern(&w, text);

		if (fnmatch(p, strchr(p, '/') ? path : name, 0))
			continue;
		says = w.sign == '-' ? TAPE_OUT : TAPE_IN;
		if (hits)
			*hits |= (uint64_t)1 << i;
	}
	return says;
}

enum tape_verdict tape_list_verdict(const char *list, const char *name,
				    uint64_t *hits)
{
	return match_list(list, name, name, hits);
}

enum tape_verdict tape_list_file(const char *list, const char *path,
				 uint64_t *hits)
{
	const char *base = strrchr(path, '/');

	return match_list(list, base ? base + 1 : path, path, hits);
}

char *tape_list_word(const char *list, unsigned n, char *word, size_t size)
{
	struct word w;

	do
		if (!next_list_word(&list, &w))
			return NULL;
	while (n--);
	if (w.n >= size)
		w.n = size - 1;
	memcpy(word, w.text, w.n);
	word[w.n] = '\0';
	return word;
}

/* ---- calls ---- */

static uint32_t group_bits(const struct word *w)
{
	if (w->n == 3 && !strncmp(w->text, "all", 3))
		return ((uint32_t)1 << TAPE_GROUP_COUNT) - 1;
	for (unsigned g = 0; g < TAPE_GROUP_COUNT; g++)
		if (g != TAPE_GROUP_ALWAYS &&
		    strlen(tape_group_names[g]) == w->n &&
		    !strncmp(tape_group_names[g], w->text, w->n))
			return (uint32_t)1 << g;
	return 0;
}

int tape_filter_groups(const char *list, uint32_t *groups)
{
	uint32_t bits = tape_list_changes(list)
				? ((uint32_t)1 << TAPE_GROUP_COUNT) - 1
				: 0;
	struct word w;

	if (!strcmp(list, "none"))
		list = "";
	if (!*list)
		bits = 0;
	while (next_list_word(&list, &w)) {
		uint32_t g = group_bits(&w);

		if (!g)
			return TAPE_ERANGE;
		bits = w.sign == '-' ? bits & ~g : bits | g;
	}
	*groups = bits | 1u << TAPE_GROUP_ALWAYS;
	return 0;
}

const char *tape_filter_unknown(const char *list, char *word, size_t size)
{
	char text[TAPE_LIST_BYTES];
	struct word w;

	while (next_list_word(&list, &w)) {
		const char *p = copy_pattern(&w, text);
		int found = 0;

		for (unsigned c = 0; c < TAPE_CALL_COUNT && !found; c++)
			found = tape_calls[c].name &&
				!fnmatch(p, tape_calls[c].name, 0);
		if (found)
			continue;
		strncpy(word, p, size - 1);
		word[size - 1] = '\0';
		return word;
	}
	return NULL;
}

void tape_filter_calls(uint32_t groups, const char *list, unsigned char *wanted)
{
	int changes = tape_list_changes(list);

	for (unsigned c = 0; c < TAPE_CALL_COUNT; c++) {
		enum tape_verdict v;

		wanted[c] = 0;
		if (!tape_calls[c].name)
			continue;
		v = tape_list_verdict(list, tape_calls[c].name, NULL);
		if (tape_calls[c].group == TAPE_GROUP_ALWAYS)
			wanted[c] = 1;
		else if (v != TAPE_UNSAID)
			wanted[c] = v == TAPE_IN;
		else if (changes)
			wanted[c] = groups >> tape_calls[c].group & 1;
	}
}

int tape_filter_is_always(unsigned call)
{
	return tape_calls[call].group == TAPE_GROUP_ALWAYS;
}

int tape_filter_class(unsigned call)
{
	return tape_calls[call].class_;
}

unsigned tape_filter_traits(unsigned call)
{
	return tape_calls[call].traits;
}

char *tape_filter_group_names(char *text, size_t size)
{
	size_t n = 0;

	*text = '\0';
	for (unsigned g = 0; g < TAPE_GROUP_COUNT && n < size; g++)
		if (g != TAPE_GROUP_ALWAYS)
			n += (size_t)snprintf(text + n, size - n, "%s%s",
					      n ? ", " : "",
					      tape_group_names[g]);
	return text;
}
TAPE_ON_OWN_STACK_END
