/* The longest transit of a class, and of how many it takes to count. */
#include <math.h>
#include <string.h>

#include "longest.h"
#include "tap.h"

static unsigned long long state = 1987;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static struct tape_parcel parcel(enum tape_distance d, uint64_t bytes)
{
	return (struct tape_parcel){ .bytes = bytes, .distance = d };
}

static void few(void)
{
	struct tape_parcel p = parcel(TAPE_SHM, 1024);
	struct tape_parcel near = parcel(TAPE_SHM, 2047);
	struct tape_parcel large = parcel(TAPE_SHM, 2048);
	struct tape_parcel far = parcel(TAPE_NET, 1024), wait = p;
	struct tape_longest l;

	wait.rendezvous = 1;
	memset(&l, 0, sizeof l);
	for (int i = 1; i < TAPE_LONGEST_MESSAGES; i++)
		tape_longest_seen(&l, &p, 100 + i);
	tape_longest_seen(&l, &p, -1);
	tape_longest_seen(&l, &wait, 5000);
	ok(isinf(tape_longest(&l, &p)),
	   "29 messages, a rendezvous and one of disagreeing clocks: no bound");
	tape_longest_seen(&l, &large, 10);
	ok(tape_longest(&l, &p) == 129 && isinf(tape_longest(&l, &large)),
	   "30 with a larger one: the longest; of larger ones it is one");
	tape_longest_seen(&l, &near, 10);
	ok(tape_longest(&l, &p) == 129 && tape_longest(&l, &near) == 129,
	   "30: the longest, of all of their size class");
	ok(isinf(tape_longest(&l, &large)) && isinf(tape_longest(&l, &far)) &&
		   isinf(tape_longest(&l, &wait)),
	   "other sizes, distances and protocols: no bound");
}

/* Of 30 exponential transits the next is longer in 1 of 31 cases. */
static void exceeded(void)
{
	enum { CASES = 50000 };
	struct tape_parcel p = parcel(TAPE_NET, 8);
	int longer = 0;

	for (int i = 0; i < CASES; i++) {
		struct tape_longest l;

		memset(&l, 0, sizeof l);
		for (int k = 0; k < TAPE_LONGEST_MESSAGES; k++)
			tape_longest_seen(&l, &p, -1000 * log(1 - uniform()));
		longer += -1000 * log(1 - uniform()) > tape_longest(&l, &p);
	}
	/* five standard deviations of the share */
	ok(fabs((double)longer / CASES - 1 / 31.0) < 0.004,
	   "the next one is longer in %.4f of the cases (1/31: %.4f)",
	   (double)longer / CASES, 1 / 31.0);
}

int main(void)
{
	printf("# seed %llu\n", state);
	few();
	exceeded();
	return done();
}
