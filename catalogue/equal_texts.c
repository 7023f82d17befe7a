/* Equal texts; see equal_texts.h. */
#include "equal_texts.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

static int compare_texts(const void *a, const void *b)
{
	const char *const *x = *(const char *const *const *)a;
	const char *const *y = *(const char *const *const *)b;
	int order = strcmp(*x, *y);

	return order ? order : (x > y) - (x < y);
}

int tape_find_equal_texts(const char *const *text, size_t n, size_t *first)
{
	const char *const **sorted = malloc((n + 1) * sizeof *sorted);
	size_t m = 0;

	if (!sorted)
		return TAPE_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		first[i] = i;
		if (text[i])
			sorted[m++] = &text[i];
	}
	qsort(sorted, m, sizeof *sorted, compare_texts);
	for (size_t i = 1; i < m; i++)
		if (!strcmp(*sorted[i], *sorted[i - 1]))
			first[sorted[i] - text] = first[sorted[i - 1] - text];
	free(sorted);
	return 0;
}
