/* Messages that were alone; see apart.h. */
#include <stdlib.h>

#include "apart.h"

/* Places of all receivers together, but for those that each has at least. */
enum { PLACES = 65536, MOST = 256, LEAST = 4 };

struct tape_apart {
	unsigned each; /* places of a receiver, a power of two */
	struct apart_from {
		int from, any;
		int64_t er; /* the latest end */
	} from[];
};

static struct apart_from *place(struct tape_apart *a, size_t to, int from)
{
	return &a->from[to * a->each + ((unsigned)from & (a->each - 1))];
}

struct tape_apart *tape_apart_new(size_t receivers)
{
	struct tape_apart *a;
	unsigned each = LEAST;

	while (each < MOST && 2 * each * receivers <= PLACES)
		each *= 2;
	a = calloc(1, sizeof *a + receivers * each * sizeof *a->from);
	if (a)
		a->each = each;
	return a;
}

void tape_apart_free(struct tape_apart *a)
{
	free(a);
}

int tape_apart(struct tape_apart *a, size_t to, int from, int64_t s)
{
	const struct apart_from *p = place(a, to, from);

	return !p->any || p->from != from || s >= p->er;
}

void tape_apart_ended(struct tape_apart *a, size_t to, int from, int64_t er)
{
	struct apart_from *p = place(a, to, from);

	if (p->any && p->from == from && p->er > er)
		return;
	*p = (struct apart_from){from, 1, er};
}
