/*
 * Two tracks of a clock (lib/clocks/merge_tracks.h), and which clocks messages
 * refute (linearity_test.h): random tracks, seeded, against what both say at
 * any date.
 */
#include <math.h>
#include <stdlib.h>

#include "merge_tracks.h"
#include "linearity_test.h"
#include "tap.h"

static unsigned long long state = 20261;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* What both are about: never outside of any of the intervals. */
static double truth(double x)
{
	return 100 * sin(x / 1e8);
}

static struct tape_clock_track draw(void)
{
	size_t n = 2 + (size_t)(uniform() * 30);
	struct tape_clock_track t = { n, calloc(n, sizeof *t.knot), 0, 0 };

	for (size_t i = 0; i < n; i++) {
		struct tape_clock_knot *k = &t.knot[i];

		k->ref_ns = 1e9 * (double)i / (double)(n - 1);
		k->offset_ns = truth(k->ref_ns) + 400 * (uniform() - 0.5);
		k->lo_ns = truth(k->ref_ns) - k->offset_ns - 600 -
			   1000 * uniform();
		k->hi_ns = truth(k->ref_ns) - k->offset_ns + 600 +
			   1000 * uniform();
	}
	return t;
}

static double lo_at(const struct tape_clock_track *t, double x)
{
	struct tape_clock_knot k = tape_clock_track_at(t, x);

	return k.offset_ns + k.lo_ns;
}

static double hi_at(const struct tape_clock_track *t, double x)
{
	struct tape_clock_knot k = tape_clock_track_at(t, x);

	return k.offset_ns + k.hi_ns;
}

/* The interval of both is what both allow: nothing more, nothing less. */
static void intervals(void)
{
	int wide = 0, narrow = 0, off = 0;

	for (int c = 0; c < 500; c++) {
		struct tape_clock_track a = draw(), b = draw();
		struct tape_clock_track t = tracks_copy(&a);

		tracks_intersect(&t, &b);
		for (int i = 0; i < 100; i++) {
			double x = 1e9 * uniform();
			double lo = fmax(lo_at(&a, x), lo_at(&b, x));
			double hi = fmin(hi_at(&a, x), hi_at(&b, x));
			struct tape_clock_knot k = tape_clock_track_at(&t, x);

			wide += lo_at(&t, x) < lo - 0.1 ||
				hi_at(&t, x) > hi + 0.1;
			narrow += lo_at(&t, x) > lo + 0.1 ||
				  hi_at(&t, x) < hi - 0.1;
			off += k.lo_ns > 1e-6 || k.hi_ns < -1e-6;
		}
		tape_clock_track_free(&a);
		tape_clock_track_free(&b);
		tape_clock_track_free(&t);
	}
	ok(!wide, "what both allow is no wider than either");
	ok(!narrow, "and all that both allow");
	ok(!off, "the estimate is within");
}

/* Where they contradict each other, nothing is left out. */
static void contradiction(void)
{
	struct tape_clock_knot p[2] = {{0, 0, -10, 10}, {1e9, 0, -10, 10}};
	struct tape_clock_knot q[2] = {{0, 50, -10, 10}, {1e9, 50, -10, 10}};
	struct tape_clock_track a = { 2, p, 0, 0 }, b = { 2, q, 0, 0 };
	struct tape_clock_track t = tracks_copy(&a);

	tracks_intersect(&t, &b);
	ok(fabs(lo_at(&t, 5e8) + 10) < 1e-9 && fabs(hi_at(&t, 5e8) - 60) < 1e-9,
	   "a contradiction: either may be right");
	ok(tracks_is_within(&a, &t) && !tracks_is_within(&a, &b),
	   "within, and not within");
	tape_clock_track_free(&t);
	t = tracks_copy(&a);
	tracks_limit_estimate(&t, &b);
	ok(fabs(tape_clock_track_at(&t, 5e8).offset_ns - 40) < 1e-9 &&
	       fabs(hi_at(&t, 5e8) - 60) < 1e-9,
	   "an estimate is kept within the other one's interval");
	tape_clock_track_free(&t);
}

/*
 * Four clocks, sure to 10 ns each. Clock 2 is wrong by 1000: messages of it to
 * all others say so, and nothing speaks against the others.
 */
static void culprit(void)
{
	struct tape_clock_knot knot[4][2];
	struct clock c[4] = { { .status = CLOCK_REFERENCE } };
	struct clocks k = { .c = c, .n = 4 };
	struct bounds_message early = { .sent = 5e8, .received = 5e8 - 500 };
	struct bounds_message good = { .sent = 5e8, .received = 5e8 + 500 };
	struct bounds_pair way[6] = {
	    {.from = 0, .to = 1, .kept = &good, .n = 1},
	    {.from = 1, .to = 2, .kept = &early, .n = 1},
	    {.from = 3, .to = 2, .kept = &early, .n = 1},
	    {.from = 3, .to = 1, .kept = &good, .n = 1},
	    {.from = 1, .to = 3, .kept = &good, .n = 1},
	    {.from = 0, .to = 2, .kept = &early, .n = 1},
	};
	unsigned char crooked[4] = { 0 };

	for (int i = 1; i < 4; i++) {
		knot[i][0] = (struct tape_clock_knot){ 0, 0, -10, 10 };
		knot[i][1] = (struct tape_clock_knot){ 1e9, 0, -10, 10 };
		c[i].status = CLOCK_PLACED;
		c[i].track = (struct tape_clock_track){ 2, knot[i], 0, 1 };
	}
	ok(linearity_test(&k, way, 6, crooked) == 3, "three messages refute");
	ok(!crooked[0] && !crooked[1] && crooked[2] && !crooked[3],
	   "the one clock that explains all of them");
}

int main(void)
{
	printf("# seed %llu\n", state);
	intervals();
	contradiction();
	culprit();
	return done();
}
