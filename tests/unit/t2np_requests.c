/*
 * Requests kept by number, against an array: one that lives long while others
 * come and go beside it, and many of several threads.
 */
#include <string.h>

#include "t2np/requests.h"
#include "tap.h"

static unsigned long long state = 20262;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)((state >> 33) % n);
}

static void add(struct requests *s, uint64_t number)
{
	requests_add(s, &(struct request){ .number = number,
					   .bytes = 7 * number });
}

static int has(struct requests *s, uint64_t number)
{
	struct request *r = requests_find(s, number);

	return r && r->number == number && r->bytes == 7 * number;
}

/*
 * There are 64 places at first, and a request's is its number's. Request 65
 * finds that of 1 taken, and 66 that which 65 took instead: when 65 goes, 66
 * must still be found.
 */
static void persistent(void)
{
	struct requests *s = requests_new();
	int lost = 0;

	add(s, 1);
	for (uint64_t n = 2; n <= 64; n++) {
		add(s, n);
		lost += !has(s, n) || !has(s, 1);
		requests_drop(s, requests_find(s, n));
		lost += requests_find(s, n) != NULL;
	}
	ok(!lost, "63 others come and go");
	add(s, 65);
	add(s, 66);
	ok(has(s, 1) && has(s, 65) && has(s, 66), "three are there");
	requests_drop(s, requests_find(s, 65));
	ok(has(s, 66) && has(s, 1) && !requests_find(s, 65),
	   "one beside the place of another goes");
	requests_drop(s, requests_find(s, 1));
	ok(has(s, 66) && !requests_find(s, 1) && !requests_find(s, 0),
	   "the first one goes");
	requests_free(s);
	requests_free(NULL);
}

/* So many of each of 4 threads at once, in any order. */
static void many(int most, const char *what)
{
	enum { THREADS = 4, STEPS = 100000 };
	struct requests *s = requests_new();
	uint64_t live[256], next[THREADS] = { 0 };
	int n = 0, wrong = 0;

	for (int i = 0; i < STEPS; i++) {
		unsigned t = below(THREADS);

		if (n < most && below(2)) {
			live[n] = ((uint64_t)t << 40) + ++next[t];
			add(s, live[n++]);
		} else if (n) {
			unsigned k = below((unsigned)n);
			uint64_t gone = live[k];

			wrong += !has(s, gone);
			if (requests_find(s, gone))
				requests_drop(s, requests_find(s, gone));
			wrong += requests_find(s, gone) != NULL;
			live[k] = live[--n];
		}
		if (n)
			wrong += !has(s, live[below((unsigned)n)]);
	}
	ok(!wrong, "%s: %d wrong", what, wrong);
	requests_free(s);
}

int main(void)
{
	printf("# seed %llu\n", state);
	persistent();
	many(30, "30 at most");
	many(256, "256 at most");
	return done();
}
