/* A binary heap; see turns.h. */
#include "heap.h"
#include "turns.h"

int tape_turn_before(const struct tape_turn *a, const struct tape_turn *b)
{
	if (a->ns != b->ns)
		return a->ns < b->ns;
	if (a->begins != b->begins)
		return a->begins < b->begins;
	return a->flow < b->flow;
}

static inline int is_before(const void *own, const struct tape_turn *a,
			    const struct tape_turn *b)
{
	(void)own;
	return tape_turn_before(a, b);
}

TAPE_HEAP(turns, struct tape_turn, const void *, is_before)

void tape_turns_push(struct tape_turns *t, struct tape_turn one)
{
	turns_raise(NULL, t->heap, t->n++, one);
}

void tape_turns_replace(struct tape_turns *t, struct tape_turn one)
{
	turns_sink(NULL, t->heap, t->n, 0, one);
}

void tape_turns_pop(struct tape_turns *t)
{
	t->n = turns_pop(NULL, t->heap, t->n);
}
