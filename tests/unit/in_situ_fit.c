/* What an event costs where it stands: pairs of blocks whose truth is known. */
#include <math.h>

#include "in_situ_fit.h"
#include "tap.h"

static unsigned long long state;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* About a normal deviate. */
static double deviate(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/*
 * Blocks as an event at a time makes them: work, and a clock read in the middle
 * of the record of the event that begins the block, and of that which ends it.
 */
static struct tape_in_situ_pair blocks(int n_kept, int n_skipped, double work,
				       double cost, double skip)
{
	struct tape_in_situ_pair p = { 0, 0, n_kept, n_skipped, skip };
	double half = cost / 2;

	p.kept = half;
	for (int i = 1; i <= n_kept; i++)
		p.kept += work + (i < n_kept ? cost : half);
	p.skipped = half;
	for (int i = 1; i <= n_skipped; i++)
		p.skipped += work + (i < n_skipped ? skip : 0);
	return p;
}

static void formula(void)
{
	struct tape_in_situ_pair p = blocks(64, 64, 25, 9.9, 2);

	ok(fabs(tape_in_situ_cost(&p) - 9.9) < 1e-9, "the formula: %.3f ns",
	   tape_in_situ_cost(&p));
	p = blocks(61, 50, 200, 1.6, 2.5);
	ok(fabs(tape_in_situ_cost(&p) - 1.6) < 1e-9,
	   "less than skipping, other lengths: %.3f ns", tape_in_situ_cost(&p));
	p = blocks(16, 16, 3, 80, 0);
	ok(fabs(tape_in_situ_cost(&p) - 80) < 1e-9, "short blocks: %.3f ns",
	   tape_in_situ_cost(&p));
}

/*
 * n pairs by turns at two speeds, of which the mean is 15; one of 20 is
 * interrupted in either block. How often the truth is within 2 errors.
 */
static int within(int runs, int n, struct tape_in_situ_fit *last)
{
	int good = 0;

	for (int r = 0; r < runs; r++) {
		struct tape_in_situ s = { 0 };

		for (int i = 0; i < n; i++) {
			double cost = i / 8 % 2 ? 10 : 20;

			if (uniform() < 0.05)
				cost += uniform() < 0.5 ? 900 : -900;
			tape_in_situ_add(&s, cost + 4 * deviate());
		}
		good += tape_in_situ_fit(&s, last) &&
			fabs(last->cost - 15) < 2 * last->error;
	}
	return good;
}

static void fits(void)
{
	struct tape_in_situ_fit f = { 0 };
	int few = within(1000, 32, &f), many;

	ok(few > 850, "32 pairs: within 2 standard errors %d of 1000 times",
	   few);
	many = within(200, 400, &f);
	ok(many > 180 && f.error < 0.6,
	   "400 pairs: %d of 200 times, error %.2f", many, f.error);
	many = within(50, 20000, &f);
	ok(many > 40 && f.n == 20000,
	   "more than are kept: %d of 50 times, of %llu pairs", many,
	   (unsigned long long)f.n);
}

static void edges(void)
{
	struct tape_in_situ s = { 0 };
	struct tape_in_situ_fit f = { 0 };

	ok(!tape_in_situ_fit(&s, &f), "no pairs: no cost");
	for (int i = 0; i < TAPE_IN_SITU_LEAST - 1; i++)
		tape_in_situ_add(&s, 7);
	ok(!tape_in_situ_fit(&s, &f), "too few: none");
	tape_in_situ_add(&s, 7);
	ok(tape_in_situ_fit(&s, &f) && f.cost == 7 && f.error == 0,
	   "all alike: no error");
}

int main(void)
{
	formula();
	fits();
	edges();
	return done();
}
