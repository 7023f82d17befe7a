/* Isolated messages; the rule and its source: isolated_messages.h. */
#include <stdlib.h>

#include "isolated_messages.h"

/* Slots of all receivers together; the most and least of one receiver. */
enum { TOTAL_SLOTS = 65536, MAX_SLOTS = 256, MIN_SLOTS = 4 };

struct tape_isolated {
	unsigned each; /* slots of a receiver, a power of two */
	struct apart_from {
		int from, any;
		int64_t er; /* the latest end */
	} from[];
};

static struct apart_from *find_sender_slot(struct tape_isolated *a, size_t to,
					   int from)
{
	return &a->from[to * a->each + ((unsigned)from & (a->each - 1))];
}

struct tape_isolated *tape_isolated_new(size_t receivers)
{
	struct tape_isolated *a;
	unsigned each = MIN_SLOTS;

	while (each < MAX_SLOTS && 2 * each * receivers <= TOTAL_SLOTS)
		each *= 2;
	a = calloc(1, sizeof *a + receivers * each * sizeof *a->from);
	if (a)
		a->each = each;
	return a;
}

void tape_isolated_free(struct tape_isolated *a)
{
	free(a);
}

int tape_is_isolated(struct tape_isolated *a, size_t to, int from, int64_t s)
{
	const struct apart_from *p = find_sender_slot(a, to, from);

	return !p->any || p->from != from || s >= p->er;
}

void tape_isolated_add(struct tape_isolated *a, size_t to, int from, int64_t er)
{
	struct apart_from *p = find_sender_slot(a, to, from);

	if (p->any && p->from == from && p->er > er)
		return;
	*p = (struct apart_from){from, 1, er};
}
