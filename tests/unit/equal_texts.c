/* Equal texts, against looking at all pairs. */
#include <stdlib.h>
#include <string.h>

#include "equal_texts.h"
#include "tap.h"

int main(void)
{
	static const char *const words[] = {"a",  "b",	"ab", "",
					    "b1", "a0", NULL};
	enum { N = 300 };
	const char *text[N];
	size_t first[N];
	int wrong = 0;

	srand(7);
	for (int i = 0; i < N; i++)
		text[i] = words[rand() % 7];
	ok(tape_find_equal_texts(text, N, first) == 0, "300 texts, seed 7");
	for (size_t i = 0; i < N; i++) {
		size_t j = 0;

		while (j < i &&
		       !(text[i] && text[j] && !strcmp(text[i], text[j])))
			j++;
		wrong += first[i] != j;
	}
	ok(!wrong, "the first of each: %d wrong", wrong);
	ok(tape_find_equal_texts(text, 0, first) == 0, "none");
	return done();
}
