/*
 * Levels of switches from latencies: machines whose switches are known, with
 * noise; and noise alone.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "latency_clusters.h"
#include "tap.h"

enum { MOST = 200 };

static unsigned long long state = 7;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / (double)(1ull << 53);
}

static float latency[MOST * MOST];

/*
 * A machine: hosts at each of its levels, widest first, dealt out in turn or in
 * order; the latency of a pair by how many levels it shares.
 */
struct machine {
	size_t n;
	int levels;
	unsigned of[4][MOST]; /* switch of each host, in all of that level */
	double ns[5];
};

static int shared(const struct machine *m, size_t i, size_t j)
{
	int l = 0;

	while (l < m->levels && m->of[l][i] == m->of[l][j])
		l++;
	return l;
}

/* Noise: up to that share more; now and then a pair takes three times as long.
 */
static void fill(const struct machine *m, double noise, double spoilt)
{
	for (size_t i = 0; i < m->n; i++)
		for (size_t j = 0; j < m->n; j++) {
			double ns = i == j ? 0 : m->ns[shared(m, i, j)];

			ns *= 1 + noise * uniform();
			if (uniform() < spoilt)
				ns *= 3;
			latency[i * m->n + j] = (float)ns;
		}
}

/* Are hosts in the same groups as in truth? */
static int as_true(const struct machine *m)
{
	struct tape_clusters r;
	int same =
	    !tape_clusters_find(latency, m->n, &r) && r.levels == m->levels;

	for (size_t i = 0; i < m->n && same; i++)
		for (size_t j = 0; j < i; j++)
			same &=
			    tape_clusters_shared(&r, i, j) == shared(m, i, j);
	free(r.group);
	return same;
}

static struct machine make(int levels, const size_t *count, size_t hosts,
			   int dealt)
{
	struct machine m = {.levels = levels,
			    .ns = {4000, 2600, 1700, 1100, 700}};
	size_t all = hosts;

	for (int l = 0; l < levels; l++)
		all *= count[l];
	m.n = all;
	for (size_t i = 0; i < all; i++) {
		size_t at = dealt ? i * 7 % all : i, below = all;

		for (int l = 0; l < levels; l++) {
			below /= count[l];
			m.of[l][i] = (unsigned)(at / below);
		}
	}
	return m;
}

static void machines(void)
{
	static const size_t counts[][4] = {{2},	      {5},	    {2, 3},
					   {3, 2, 2}, {2, 2, 2, 2}, {0}};
	static const double noises[] = {0, 0.02, 0.1};
	int bad = 0, all = 0;

	for (int c = 0; counts[c][0]; c++)
		for (size_t hosts = 2; hosts <= 11; hosts += 3)
			for (int k = 0; k < 30; k++) {
				int levels = 0;
				struct machine m;

				while (levels < 4 && counts[c][levels])
					levels++;
				m = make(levels, counts[c], hosts, k % 2);
				fill(&m, noises[k % 3], 0);
				bad += !as_true(&m);
				all++;
			}
	printf("# seed 7\n");
	ok(!bad, "%d of %d machines are found as they are", all - bad, all);
}

/* Of pairs that were disturbed all the time, a few do not matter. */
static void disturbed(void)
{
	static const size_t count[] = {4, 3};
	int bad = 0;

	for (int k = 0; k < 100; k++) {
		struct machine m = make(2, count, 8, 1);

		fill(&m, 0.05, 0.01);
		bad += !as_true(&m);
	}
	ok(bad <= 2,
	   "one pair in a hundred takes three times as long: %d of "
	   "100 machines are still found",
	   100 - bad);
}

/* Hosts on one switch have no levels, however noisy. */
static void alone(void)
{
	static const size_t one[] = {1};
	int levels = 0;

	for (int k = 0; k < 300; k++) {
		struct machine m = make(0, one, 2 + (size_t)k % 40, 0);
		struct tape_clusters r;
		size_t slow = (size_t)(uniform() * (double)m.n);

		fill(&m, 0.01 * (double)(1 + k % 20), k % 2 ? 0.01 : 0);
		/* and one host may be slow with all */
		for (size_t i = 0; k % 3 == 0 && i < m.n; i++) {
			latency[slow * m.n + i] *= 2;
			latency[i * m.n + slow] *= 2;
		}
		if (tape_clusters_find(latency, m.n, &r))
			levels++;
		levels += r.levels;
		free(r.group);
	}
	ok(!levels, "one switch: noise and slow hosts make no levels");
}

static void exact(void)
{
	/* two and two, and one with the first two, but farther */
	static const float five[25] = {0,  10, 30, 30, 10, 10, 0,  30, 30,
				       10, 30, 30, 0,  10, 30, 30, 30, 10,
				       0,  30, 10, 10, 30, 30, 0};
	static const unsigned truth[] = {0, 0, 1, 1, 0};
	struct tape_clusters r;

	memcpy(latency, five, sizeof five);
	ok(!tape_clusters_find(latency, 5, &r) && r.levels == 1 &&
	       !memcmp(r.group, truth, sizeof truth),
	   "five hosts on two switches");
	free(r.group);
	memcpy(latency, five, sizeof five);
	latency[1] = latency[5] = 0;
	ok(tape_clusters_find(latency, 5, &r) == TAPE_ERANGE && !r.group,
	   "a latency that is none");
	latency[0] = 0;
	ok(!tape_clusters_find(latency, 1, &r) && !r.levels, "one host");
	latency[1] = latency[2] = 5;
	ok(!tape_clusters_find(latency, 2, &r) && !r.levels, "two hosts");
	/* numbers are those within the switch above */
	{
		static const size_t count[] = {2, 2};
		static const unsigned numbers[] = {0, 0, 0, 0, 1, 1, 1, 1,
						   0, 0, 1, 1, 0, 0, 1, 1};
		struct machine m = make(2, count, 2, 0);

		fill(&m, 0, 0);
		ok(!tape_clusters_find(latency, 8, &r) && r.levels == 2 &&
		       !memcmp(r.group, numbers, sizeof numbers),
		   "two levels: numbers within the one above");
		free(r.group);
	}
}

static void rounds(void)
{
	int bad = 0;

	for (size_t n = 2; n <= 65; n++) {
		static int met[65][65];
		size_t all = n - 1 + n % 2;

		memset(met, 0, sizeof met);
		for (size_t k = 0; k < all; k++)
			for (size_t i = 0; i < n; i++) {
				size_t with = tape_clusters_partner(n, k, i);

				if (with == n) {
					bad += n % 2 == 0;
					continue;
				}
				bad += with == i ||
				       tape_clusters_partner(n, k, with) != i;
				met[i][with]++;
			}
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n; k++)
				bad += met[i][k] != (i != k);
	}
	ok(!bad, "2 to 65: all pairs once, one pair of each a round");
}

int main(void)
{
	machines();
	disturbed();
	alone();
	exact();
	rounds();
	return done();
}
