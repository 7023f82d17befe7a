/* The longest transit of a class, and of how many it takes to count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "max_transit.h"
#include "tap.h"

static unsigned long long state = 1987;
static uint64_t key; /* of the next message */
static struct tape_max_transit_seen seen;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static struct tape_parcel parcel(enum tape_distance d, uint64_t bytes)
{
	return (struct tape_parcel){ .bytes = bytes, .distance = d };
}

static double of(const struct tape_parcel *p)
{
	struct tape_max_transit l;

	tape_max_transit_fit(&seen, &l);
	return tape_max_transit_ns(&l, p);
}

static void few(void)
{
	struct tape_parcel p = parcel(TAPE_SHM, 1024);
	struct tape_parcel near = parcel(TAPE_SHM, 2047);
	struct tape_parcel large = parcel(TAPE_SHM, 2048);
	struct tape_parcel far = parcel(TAPE_NET, 1024), wait = p;

	wait.rendezvous = 1;
	memset(&seen, 0, sizeof seen);
	for (int i = 1; i < TAPE_MAX_TRANSIT_MESSAGES; i++)
		tape_max_transit_add(&seen, key++, &p, 100);
	tape_max_transit_add(&seen, key++, &p, -1);
	tape_max_transit_add(&seen, key++, &wait, 5000);
	ok(isinf(of(&p)),
	   "29 messages, a rendezvous and one of disagreeing clocks: no bound");
	tape_max_transit_add(&seen, key++, &large, 300);
	ok(of(&p) == 300 && isinf(of(&large)),
	   "30 with a larger one: its time; of larger ones it is one");
	tape_max_transit_add(&seen, key++, &near, 5000);
	ok(of(&p) == 100 && of(&near) == 100,
	   "30: of all of the size class, but for one in twenty");
	ok(isinf(of(&large)) && isinf(of(&far)) && isinf(of(&wait)),
	   "other sizes, distances and protocols: no bound");
}

/* The next of n is longer than the k-th in 1 - k / (n + 1) of the cases. */
static void exceeded(void)
{
	enum { CASES = 4000, MESSAGES = 200 };
	const double k95 = 1 + 0.95 * (MESSAGES - 1);
	const double expected = 1 - k95 / (MESSAGES + 1);
	struct tape_parcel p = parcel(TAPE_NET, 8);
	int longer = 0;

	for (int i = 0; i < CASES; i++) {
		memset(&seen.ns[TAPE_NET], 0, sizeof seen.ns[TAPE_NET]);
		for (int k = 0; k < MESSAGES; k++)
			tape_max_transit_add(&seen, key++, &p,
					     -1e3 * log(1 - uniform()));
		longer += -1e3 * log(1 - uniform()) > of(&p);
	}
	/* four standard deviations of the share */
	ok(fabs((double)longer / CASES - expected) < 0.0145,
	   "the next one is longer in %.4f of the cases (%.4f)",
	   (double)longer / CASES, expected);
}

int main(void)
{
	printf("# seed %llu\n", state);
	few();
	exceeded();
	return done();
}
