/*
 * The delays of the setting noise: values of its formula, computed with whole
 * numbers of Python (tests/e2e/noise.py); mean, variance and share of many
 * delays, against those of the distribution, within five standard deviations.
 */
#include <inttypes.h>
#include <math.h>

#include "noise.h"
#include "tap.h"

enum { DRAWS = 1 << 20 };

static void test_values(void)
{
	static const struct {
		struct tape_noise noise;
		int rank, thread;
		uint64_t call, ns;
	} truth[] = {
	    {{0, 100, 10}, 0, 0, 0, 0},
	    {{0, 100, 10}, 0, 0, 1, 276},
	    {{0, 100, 10}, 0, 0, 5, 117792},
	    {{0, 100, 10}, 0, 0, 12, 9317},
	    {{0, 100, 10}, 0, 0, 19, 185664},
	    {{7, 1000000, 100}, 3, 1, 5, 898321286},
	    {{7, 100, 50}, 1, 0, 64, 99848},
	    {{INT64_MAX, 1, 100}, 65535, 65535, UINT64_C(1) << 40, 829},
	};

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		uint64_t ns =
		    tape_noise_draw(&truth[i].noise, truth[i].rank,
				    truth[i].thread, truth[i].call);

		ok(ns == truth[i].ns, "%zu: %" PRIu64 " ns", i, ns);
	}
}

/* Of each rank a part of the calls; a slow stretch is one draw for all. */
static void test_distribution(const struct tape_noise *n)
{
	const double share = n->percent / 100.0, mean = n->mean_us * 1000.0,
		     p = 1.0 / TAPE_NOISE_SLOW;
	/* a delay below 1 ns is none */
	const double all = (p + (1 - p) * share) * (1 - 1 / (2 * mean)),
		     stretches = (double)DRAWS / TAPE_NOISE_STRETCH,
		     spread = sqrt(p * (1 - p) / stretches) * (1 - share) +
			      sqrt(all * (1 - all) / DRAWS);
	double sum = 0, squares = 0, delayed = 0, seen, variance;
	uint64_t most = 0;

	for (int i = 0; i < DRAWS; i++) {
		uint64_t ns = tape_noise_draw(n, i / 4096, i / 1024 % 4,
					      (uint64_t)i % 1024);

		delayed += ns > 0;
		sum += (double)ns;
		squares += (double)ns * (double)ns;
		most = ns > most ? ns : most;
	}
	ok(fabs(delayed / DRAWS - all) < 5 * spread,
	   "%u%%: %g of the calls are delayed, %g expected", n->percent,
	   delayed / DRAWS, all);
	seen = sum / delayed;
	ok(fabs(seen - mean) < 5 * mean / sqrt(3 * delayed),
	   "mean %g ns, %g expected", seen, mean);
	/* uniform: a third of mean^2; of its square 4/45 mean^4 */
	variance = squares / delayed - seen * seen;
	ok(fabs(variance - mean * mean / 3) <
	       5 * mean * mean * sqrt(4.0 / 45 / delayed) + mean,
	   "variance %g, %g expected", variance, mean * mean / 3);
	ok((double)most < 2 * mean, "none is longer than twice the mean");
}

/* Another seed, rank or thread has other delays. */
static void test_independence(void)
{
	const struct tape_noise a = {1, 100, 50}, b = {2, 100, 50};
	int seeds = 0, ranks = 0, threads = 0;

	for (uint64_t i = 0; i < 64; i++) {
		uint64_t ns = tape_noise_draw(&a, 1, 0, i);

		seeds += ns == tape_noise_draw(&b, 1, 0, i);
		ranks += ns == tape_noise_draw(&a, 2, 0, i);
		threads += ns == tape_noise_draw(&a, 1, 1, i);
	}
	ok(seeds < 48 && ranks < 48 && threads < 48,
	   "equal delays of 64: %d of seeds, %d of ranks, %d of threads", seeds,
	   ranks, threads);
}

int main(void)
{
	test_values();
	test_distribution(&(struct tape_noise){11, 100, 10});
	test_distribution(&(struct tape_noise){12, 1000, 60});
	test_distribution(&(struct tape_noise){13, 7, 100});
	test_independence();
	return done();
}
