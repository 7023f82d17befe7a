/* Which rows of many are shown; see row_selection.h. */
#include "row_selection.h"

enum { QUANTILES = 5, SHOWN = 9 };

const char *tape_select_row(size_t k, size_t n, size_t *index)
{
	static const char *const quantile[QUANTILES] = {
	    "least: ", "25%: ", "median: ", "75%: ", "most: "};

	if (n <= TAPE_SHOWN_ALL) {
		*index = k;
		return k < n ? "" : NULL;
	}
	if (k >= SHOWN)
		return NULL;
	*index = k < QUANTILES ? k * (n - 1) / (QUANTILES - 1)
			       : n - 1 - (k - QUANTILES + 1);
	return k < QUANTILES ? quantile[k] : "next: ";
}
