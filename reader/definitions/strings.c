/* Strings of a trace, each kept once: many ranks share few names. */
#include <stdlib.h>
#include <string.h>

#include "hash_bits.h"
#include "trace.h"

static uint64_t hash_string(const char *s)
{
	return tape_hash_bytes(TAPE_HASH_START, s, strlen(s));
}

static char **find_string_slot(const struct tape_strings *p, const char *s)
{
	size_t i = (size_t)hash_string(s) & (p->size - 1);

	while (p->slots[i] && strcmp(p->slots[i], s))
		i = (i + 1) & (p->size - 1);
	return &p->slots[i];
}

static int grow_strings(struct tape_strings *p)
{
	struct tape_strings wide = { .size = p->size ? 2 * p->size : 64,
				     .n = p->n };

	wide.slots = calloc(wide.size, sizeof *wide.slots);
	if (!wide.slots)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < p->size; i++)
		if (p->slots[i])
			*find_string_slot(&wide, p->slots[i]) = p->slots[i];
	free(p->slots);
	*p = wide;
	return 0;
}

const char *tape_intern_string(struct tape_trace *t, const char *s)
{
	struct tape_strings *p = &t->strings;
	char **slot;

	if (2 * p->n >= p->size && grow_strings(p))
		return NULL;
	slot = find_string_slot(p, s);
	if (!*slot && (*slot = strdup(s)))
		p->n++;
	return *slot;
}

void tape_strings_free(struct tape_strings *p)
{
	for (size_t i = 0; i < p->size; i++)
		free(p->slots[i]);
	free(p->slots);
}
