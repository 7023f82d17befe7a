/* Which rows of many are shown: quantiles and the highest. */
#include <string.h>

#include "row_selection.h"
#include "tap.h"

static int is(size_t k, size_t n, const char *word, size_t index)
{
	size_t i = 0;
	const char *got = tape_select_row(k, n, &i);

	return got && !strcmp(got, word) && i == index;
}

int main(void)
{
	size_t i;

	ok(!tape_select_row(0, 0, &i), "none of none");
	ok(is(0, 1, "", 0) && !tape_select_row(1, 1, &i), "one");
	ok(is(31, 32, "", 31) && !tape_select_row(32, 32, &i), "all of 32");
	ok(is(0, 33, "least: ", 0) && is(1, 33, "25%: ", 8) &&
	       is(2, 33, "median: ", 16) && is(3, 33, "75%: ", 24) &&
	       is(4, 33, "most: ", 32),
	   "quantiles of 33");
	ok(is(5, 33, "next: ", 31) && is(8, 33, "next: ", 28) &&
	       !tape_select_row(9, 33, &i),
	   "four that follow the highest, from the highest down");
	ok(is(4, 65536, "most: ", 65535) && !tape_select_row(9, 65536, &i),
	   "no more of 65,536");
	return done();
}
