/* Strings of a trace, each kept once: many ranks share few names. */
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "trace.h"

static uint64_t hash_string(const char *s)
{
	return tape_hash_bytes(TAPE_HASH_START, s, strlen(s));
}

static int is_used(char *const *slot)
{
	return *slot != NULL;
}

static const char *get_string(const void *own, char *const *slot)
{
	(void)own;
	return *slot;
}

static int is_equal_string(const char *a, const char *b)
{
	return !strcmp(a, b);
}

TAPE_SLOTS(tape_strings, char *, const void *, const char *, is_used,
	   get_string, hash_string, is_equal_string)

/* Slots at first. */
enum { STRINGS_LEAST = 64 };

const char *tape_intern_string(struct tape_trace *t, const char *s)
{
	struct tape_strings *p = &t->strings;
	char **slot;

	if (tape_strings_reserve(NULL, p, STRINGS_LEAST))
		return NULL;
	slot = tape_strings_find(NULL, p, s);
	if (!*slot && (*slot = strdup(s)))
		p->used++;
	return *slot;
}

void tape_strings_free(struct tape_strings *p)
{
	for (size_t i = 0; p->list && i <= p->mask; i++)
		free(p->list[i]);
	free(p->list);
}
