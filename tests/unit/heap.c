/* Heaps against qsort: the elements come out in its order. Seed 5. */
#include <stdlib.h>

#include "heap.h"
#include "tap.h"

enum { ELEMENTS = 500, ROUNDS = 200 };

struct item {
	int key, number;
};

/* Equal keys come in the order of numbers; own counts the comparisons. */
static int is_before(int *own, const struct item *a, const struct item *b)
{
	(*own)++;
	return a->key < b->key || (a->key == b->key && a->number < b->number);
}

TAPE_HEAP(items, struct item, int *, is_before)

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int is_same_item(const struct item *a, const struct item *b)
{
	return a->key == b->key && a->number == b->number;
}

/* Fills a list, and the truth with the same elements in their order. */
static void fill_items(struct item *list, struct item *truth, size_t n)
{
	for (size_t i = 0; i < n; i++)
		list[i] = truth[i] =
		    (struct item){rand() % (1 + rand() % 100), (int)i};
	qsort(truth, n, sizeof *truth, compare_items);
}

static void test_push_and_pop(int by_order)
{
	struct item list[ELEMENTS], truth[ELEMENTS], heap[ELEMENTS];
	size_t wrong = 0;
	int compared = 0;

	for (size_t n = 1; n <= ELEMENTS; n += 7) {
		size_t left = n;

		fill_items(list, truth, n);
		for (size_t i = 0; i < n; i++)
			if (by_order)
				heap[i] = list[i];
			else
				items_raise(&compared, heap, i, list[i]);
		if (by_order)
			items_order(&compared, heap, n);
		for (size_t i = 0; i < n; i++) {
			wrong += !is_same_item(&heap[0], &truth[i]);
			left = items_pop(&compared, heap, left);
		}
		wrong += left != 0;
	}
	ok(!wrong && compared > 0, "%s: %zu of up to %d elements wrong",
	   by_order ? "ordered at once" : "one by one", wrong, ELEMENTS);
}

/* The first element becomes later again and again, as in a merge. */
static void test_replaced_root(void)
{
	struct item list[ELEMENTS], sorted[ELEMENTS];
	size_t wrong = 0;
	int compared = 0;

	fill_items(list, sorted, ELEMENTS);
	items_order(&compared, list, ELEMENTS);
	for (int k = 0; k < ROUNDS; k++) {
		struct item one = list[0];

		wrong += !is_same_item(&list[0], &sorted[0]);
		one.key += rand() % 50;
		items_sink(&compared, list, ELEMENTS, 0, one);
		sorted[0] = one;
		qsort(sorted, ELEMENTS, sizeof *sorted, compare_items);
	}
	ok(!wrong, "%d replaced: %zu wrong", ROUNDS, wrong);
}

int main(void)
{
	srand(5);
	test_push_and_pop(0);
	test_push_and_pop(1);
	test_replaced_root();
	return done();
}
