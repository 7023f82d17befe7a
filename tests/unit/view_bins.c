/* Time in bins: nothing is lost when they get wider, and where it lies. */
#include <math.h>
#include <stdlib.h>

#include "tap.h"
#include "bins.h"

static double sum(const struct view_bins *b, size_t flow, size_t kind)
{
	double s = 0;

	for (size_t i = 0; i < b->n; i++)
		s += (double)view_bins_at(b, flow, kind, i);
	return s;
}

/* Of one flow and kind: is all that is not in from .. to nothing? */
static int only(const struct view_bins *b, size_t from, size_t to)
{
	for (size_t i = 0; i < b->n; i++)
		if ((i < from || i > to) && view_bins_at(b, 0, 0, i) != 0)
			return 0;
	return 1;
}

static void wider(void)
{
	struct view_bins b;
	double all = 0;

	view_bins_open(&b, 2, 3, 64);
	ok(b.n == 64 && b.shift == 8, "64 bins of 256 ns at first");
	for (int64_t t = 0; t < 1000000; t += 1000) {
		view_bins_spread(&b, 1, 2, t, t + 300, 300);
		all += 300;
	}
	ok(b.shift == 14, "1 ms: %u", b.shift);
	ok(fabs(sum(&b, 1, 2) - all) < 1, "nothing is lost: %g of %g",
	   sum(&b, 1, 2), all);
	ok(sum(&b, 0, 2) == 0 && sum(&b, 1, 1) == 0, "and nothing elsewhere");
	ok(view_bins_used(&b, 999999) == 62, "62 of them are used");
	view_bins_free(&b);
}

static void where(void)
{
	struct view_column s = {0};
	struct view_bins b;

	view_bins_open(&b, 1, 1, 64);
	/* half of bin 1, all of 2, a quarter of 3 */
	view_bins_add_time(&b, 0, VIEW_SEND, 384, 832);
	ok(view_bins_at(&b, 0, 0, 1) == 128 &&
	   view_bins_at(&b, 0, 0, 2) == 256 &&
	   view_bins_at(&b, 0, 0, 3) == 64 && only(&b, 1, 3), "by bins");
	view_bins_add_time(&b, 0, VIEW_SEND, 5 * 256, 5 * 256);
	view_bins_add_time(&b, 0, VIEW_COMPUTING, 6 * 256, 7 * 256);
	view_bins_add_time(&b, 0, VIEW_SEND, 2000, 1900);
	view_bins_write(&b, 8, &s);
	ok(s.n == 8 && s.p[0] == 0 && s.p[1] == 128 && s.p[2] == 255 &&
	   s.p[3] == 64, "as bytes");
	ok(s.p[5] == 1, "a call of no length is seen");
	ok(s.p[6] == 0 && s.p[7] == 0,
	   "computing is what is left, an end before its start is nothing");
	view_bins_spread(&b, 0, 0, -500, 100, 60);
	ok(fabs((double)view_bins_at(&b, 0, 0, 0) - 60) < 1e-3,
	   "what is before 0 is at 0");
	view_column_free(&s);
	view_bins_free(&b);
}

static void many(void)
{
	struct view_bins b;

	view_bins_open(&b, 4096, 9, 4096);
	ok(b.n >= 64 && b.n < 4096 && b.n * 9 * 4096 <= 1 << 23,
	   "many ranks have fewer bins: %zu", b.n);
	view_bins_free(&b);
}

int main(void)
{
	wider();
	where();
	many();
	return done();
}
