/* Messages that were alone; see apart.h. */
#include <stdlib.h>

#include "apart.h"

enum { PLACES = 4096 }; /* a power of two */

struct tape_apart {
	struct pair {
		int from, to, any;
		int64_t er; /* the latest end */
	} pair[PLACES];
};

static unsigned pair_place(int from, int to)
{
	/* Knuth, The Art of Computer Programming 3, 6.4 */
	uint64_t x = ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) *
		     11400714819323198485u;

	return (unsigned)(x >> 52);
}

struct tape_apart *tape_apart_new(void)
{
	return calloc(1, sizeof(struct tape_apart));
}

void tape_apart_free(struct tape_apart *a)
{
	free(a);
}

int tape_apart(const struct tape_apart *a, int from, int to, int64_t s)
{
	const struct pair *p = &a->pair[pair_place(from, to)];

	return !p->any || p->from != from || p->to != to || s >= p->er;
}

void tape_apart_ended(struct tape_apart *a, int from, int to, int64_t er)
{
	struct pair *p = &a->pair[pair_place(from, to)];

	if (p->any && p->from == from && p->to == to && p->er > er)
		return;
	*p = (struct pair){from, to, 1, er};
}
