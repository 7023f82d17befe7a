/* A binary heap; see turns.h. */
#include "turns.h"

int tape_turn_before(const struct tape_turn *a, const struct tape_turn *b)
{
	if (a->ns != b->ns)
		return a->ns < b->ns;
	if (a->begins != b->begins)
		return a->begins < b->begins;
	return a->flow < b->flow;
}

void tape_turns_push(struct tape_turns *t, struct tape_turn one)
{
	size_t i = t->n++;

	while (i && tape_turn_before(&one, &t->heap[(i - 1) / 2])) {
		t->heap[i] = t->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	t->heap[i] = one;
}

void tape_turns_replace(struct tape_turns *t, struct tape_turn one)
{
	size_t i = 0, c;

	while ((c = 2 * i + 1) < t->n) {
		c += c + 1 < t->n &&
		     tape_turn_before(&t->heap[c + 1], &t->heap[c]);
		if (!tape_turn_before(&t->heap[c], &one))
			break;
		t->heap[i] = t->heap[c];
		i = c;
	}
	t->heap[i] = one;
}

void tape_turns_pop(struct tape_turns *t)
{
	struct tape_turn last = t->heap[--t->n];

	if (t->n)
		tape_turns_replace(t, last);
}
