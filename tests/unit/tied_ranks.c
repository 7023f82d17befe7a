/*
 * Ranks that are equally slow (lib/profile/tied_ranks.h).
 * Truth: times and bounds that are given.
 */
#include <math.h>
#include <stdlib.h>

#include "tap.h"
#include "tied_ranks.h"

/* A rank that computes and waits so long, certain to within half of width. */
static struct stat_rank make_rank(int rank, double computing_ns,
				  double waiting_ns, double width_ns)
{
	return (struct stat_rank){.rank = rank,
				  .computing_ns = computing_ns,
				  .waiting_ns = waiting_ns,
				  .least_ns = computing_ns - width_ns / 2,
				  .most_ns = computing_ns + width_ns / 2};
}

static unsigned char is_other; /* the second rank is a cause, too */

/* Returns how many ranks are named if the first of the four is the cause. */
static size_t count_named(double second_ns, double waits_ns, double width_ns,
			  double least_ns)
{
	struct stat_rank rank[] = {make_rank(0, 1e9, 0, width_ns),
				   make_rank(1, second_ns, waits_ns, width_ns),
				   make_rank(2, 5e8, 5e8, width_ns),
				   make_rank(3, 5e8, 5e8, width_ns)};
	const unsigned char is_cause[4] = {1, is_other};
	struct tape_late_ranks r = {.rank = calloc(1, sizeof(int)), .n = 1};
	size_t n;

	tied_ranks_add(rank, 4, is_cause, least_ns, &r);
	n = r.n;
	ok(!r.rank[0] && (n < 2 || r.rank[1] == 1), "in the order of ranks");
	free(r.rank);
	return n;
}

int main(void)
{
	struct stat_rank alike[] = {make_rank(0, 1e9, 0, 1e6),
				    make_rank(1, 1e9, 0, 1e6)};
	const unsigned char none[2] = {0, 0};
	struct tape_late_ranks r = {.rank = calloc(1, sizeof(int)), .n = 1};

	ok(count_named(1e9, 0, 0, 1e7) == 2, "two that are the same");
	ok(count_named(1e9 - 5e5, 0, 1e6, 1e7) == 2, "within their intervals");
	ok(count_named(1e9 - 2e6, 0, 1e6, 1e7) == 1, "outside of them");
	ok(count_named(1e9 - 2e7, 0, 1e9, 1e7) == 1,
	   "wide intervals, and a share that matters");
	ok(count_named(1e9, 1e8, 1e6, 1e7) == 1, "one of them waits");
	ok(count_named(1e9 - 100, 0, NAN, 1e7) == 2,
	   "no intervals, equal but for rounding");
	ok(count_named(1e9 - 1e5, 0, NAN, 1e7) == 1, "no intervals");
	is_other = 1;
	ok(count_named(1e9, 0, 0, 1e7) == 1, "a cause of its own");
	tied_ranks_add(alike, 2, none, 1e7, &r);
	ok(r.n == 1, "if all ranks are alike, none is added");
	free(r.rank);
	return done();
}
