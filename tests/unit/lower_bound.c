/* The binary search against a linear search. Seed 3. */
#include <stdlib.h>

#include "lower_bound.h"
#include "tap.h"

static int compare_numbers(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t search_linearly(const int *list, size_t n, int key, int equal)
{
	size_t i = 0;

	while (i < n && (list[i] < key || (equal && list[i] == key)))
		i++;
	return i;
}

int main(void)
{
	enum { MOST = 70 };
	int list[MOST];
	size_t wrong = 0, searches = 0, i;

	srand(3);
	for (size_t n = 0; n < MOST; n++) {
		for (i = 0; i < n; i++)
			list[i] = rand() % 40;
		qsort(list, n, sizeof *list, compare_numbers);
		for (int key = -1; key <= 40; key++) {
			TAPE_LOWER_BOUND(i, n, list[i] < key);
			wrong += i != search_linearly(list, n, key, 0);
			TAPE_LOWER_BOUND(i, n, list[i] <= key);
			wrong += i != search_linearly(list, n, key, 1);
			searches += 2;
		}
	}
	ok(!wrong, "%zu searches, %zu wrong", searches, wrong);
	return done();
}
