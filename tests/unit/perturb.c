/*
 * The decision tree: every leaf by hand, then what must hold for any message:
 * the perturbation stays within those of its two causes (the certificate), and
 * is monotone in each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perturb.h"
#include "tap.h"

static unsigned long long state;

static int64_t below(int64_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (int64_t)((state >> 33) % (unsigned long long)n);
}

static void leaf(const char *what, struct tape_transfer x, enum tape_leaf which,
		 double p)
{
	struct tape_perturb_count c;
	double is;

	memset(&c, 0, sizeof c);
	is = tape_perturb_receive(&x, &c);
	ok(c.leaf[which] == 1 && c.nbcom == 1, "%s: the leaf is taken", what);
	ok(is == p, "%s: p is %.0f (%.0f)", what, p, is);
}

/* A send at 1000; transit 500 and DC 40 in every case but where it says so. */
static void leaves(void)
{
	struct tape_transfer x = { .s_ns = 1000, .transit_ns = 500,
				   .dmax_ns = INFINITY, .dc_ns = 40 };

	/* arrived: receive from 2000 to 2040 */
	x.arrived = 1, x.sr_ns = 2000, x.er_ns = 2040;
	x.ps = 300, x.pr = 300;
	leaf("arrived, pR = pS", x, TAPE_LEAF_ARRIVED_EARLY, 300);
	x.ps = 100, x.pr = 400, x.dmax_ns = 700;
	/* sent at 900, there by 1600 at the latest, received at 1600 */
	leaf("arrived, within the bound", x, TAPE_LEAF_ARRIVED_BOUND, 400);
	x.dmax_ns = INFINITY;
	/* by the model there at 1400 */
	leaf("arrived, by the model", x, TAPE_LEAF_ARRIVED_MODEL, 400);
	x.ps = 100, x.pr = 900;
	/* received from 1100, there at 1400: ends at 1440 instead of 2040 */
	leaf("arrived, late by the model", x, TAPE_LEAF_LATE_MODEL, 600);
	/* a model that is too slow is cut to what was seen: there at SR */
	x.transit_ns = 5000;
	leaf("arrived, model too slow", x, TAPE_LEAF_LATE_MODEL, 100);
	x.transit_ns = 500;

	/* waited: receive from 1200 to 1540 */
	x.arrived = 0, x.sr_ns = 1200, x.er_ns = 1540;
	x.ps = 300, x.pr = 350;
	leaf("waited, pR > pS", x, TAPE_LEAF_WAITED, 300);
	x.pr = 300;
	leaf("waited, pR = pS", x, TAPE_LEAF_WAITED, 300);
	x.pr = 10;
	/* there at 1500 - 300, received from 1190: still waits */
	leaf("waited, still", x, TAPE_LEAF_WAITED_STILL, 300);
	x.ps = 400;
	/* there at 1100, received from 1190: ends at 1230 */
	leaf("waited, no more", x, TAPE_LEAF_WAITS_NO_MORE, 310);
}

static void counts(void)
{
	struct tape_perturb_count c;
	struct tape_transfer x = { .s_ns = 100, .sr_ns = 50, .er_ns = 60,
				   .ps = 0, .pr = 5, .arrived = 1,
				   .dmax_ns = INFINITY };

	memset(&c, 0, sizeof c);
	/* there as soon as it is sent, at 100: ends at 110 instead of 60 */
	ok(tape_perturb_receive(&x, &c) == -50,
	   "arrived before it was sent: no transit is less than 0");
	ok(c.clamped == 1 && c.nbcomf == 1 && c.nbsim_sm == 0,
	   "and it is counted as clamped");
	x.sr_ns = 150, x.er_ns = 160;
	tape_perturb_receive(&x, &c);
	ok(c.nbsim_sm == 1, "Sarukkai and Malony call their model after S");
	ok(tape_perturb_receive(&x, NULL) == tape_perturb_receive(&x, &c),
	   "counting changes nothing");
}

/* A message sent at 1000 that was not there at 1400, with SR at 1600. */
static void since(void)
{
	struct tape_transfer x = { .s_ns = 1000, .sr_ns = 1600, .er_ns = 1640,
				   .transit_ns = 500, .dmax_ns = INFINITY,
				   .dc_ns = 40 };

	ok(!tape_perturb_came_since(&x), "asked at SR: it had not come");
	x.asked_ns = 200;
	ok(tape_perturb_came_since(&x), "asked before: it had come by SR");
	x.er_ns = 1680;
	ok(tape_perturb_came_since(&x), "and was handed over somewhat late");
	x.er_ns = 1681;
	ok(!tape_perturb_came_since(&x), "a wait that took longer: had not");
	x.er_ns = 1640, x.transit_ns = 601;
	ok(!tape_perturb_came_since(&x),
	   "by the model not there at SR: had not");
	x.arrived = 1, x.transit_ns = 500;
	ok(!tape_perturb_came_since(&x), "it was there when asked for");
}

static struct tape_transfer any(void)
{
	struct tape_transfer x = { .s_ns = 1000000 };

	x.sr_ns = x.s_ns - 2000 + below(6000);
	x.arrived = x.sr_ns > x.s_ns && below(2);
	x.er_ns = x.sr_ns + below(3000);
	if (!x.arrived && x.er_ns < x.s_ns)
		x.er_ns = x.s_ns + below(3000);
	x.ps = (double)below(3000);
	x.pr = (double)below(3000);
	x.transit_ns = (double)below(4000);
	x.dc_ns = (double)below(1000);
	x.dmax_ns = below(2) ? INFINITY : (double)below(5000);
	return x;
}

static void properties(void)
{
	int outside = 0, falls = 0;
	enum { CASES = 200000 };

	for (int i = 0; i < CASES; i++) {
		struct tape_transfer x = any(), y = x;
		double p = tape_perturb_receive(&x, NULL);

		outside += p < fmin(x.ps, x.pr) - 1e-9 ||
			   p > fmax(x.ps, x.pr) + 1e-9;
		if (i % 2)
			y.ps += (double)below(1000);
		else
			y.pr += (double)below(1000);
		falls += tape_perturb_receive(&y, NULL) < p - 1e-9;
	}
	ok(!outside, "p is within [min(pS, pR), max(pS, pR)] (%d outside)",
	   outside);
	ok(!falls, "p never falls when pS or pR rises (%d do)", falls);
}

/*
 * Other rules: with the true transit and DC they give the truth, as the tree
 * does; they ask the model as often as they say.
 */
static void rules(void)
{
	static const char *const names[] = { "tree", "full", "target", "sm94",
					     "thesis" };
	uint64_t late = 0;
	struct tape_perturb_count c[5];
	int wrong[5] = { 0 };
	enum { CASES = 20000, SM94 = TAPE_RULE_SM94 };

	memset(c, 0, sizeof c);
	for (int i = 0; i < CASES; i++) {
		int64_t s0 = below(3000), sr0 = below(3000), dc = below(200);
		int64_t ps = below(2000), pr = below(2000), t = below(3000);
		int64_t b = s0 + ps + t, end0, end;
		struct tape_transfer x = { .s_ns = s0 + ps, .sr_ns = sr0 + pr,
					   .ps = (double)ps, .pr = (double)pr,
					   .transit_ns = (double)t,
					   .dmax_ns = INFINITY,
					   .dc_ns = (double)dc };

		end0 = (sr0 > s0 + t ? sr0 : s0 + t) + dc;
		end = (sr0 + pr > b ? sr0 + pr : b) + dc;
		x.er_ns = end;
		x.arrived = b <= sr0 + pr;
		late += x.sr_ns > x.s_ns;
		for (int r = 0; r < 5; r++)
			wrong[r] += tape_perturb_receive_by(
					    (enum tape_rule)r, &x, &c[r]) !=
				    (double)(end - end0);
	}
	for (int r = 0; r < 5; r++)
		ok(!wrong[r] && c[r].nbcom == CASES &&
			   /* but for messages that come just at SR */
			   llabs((long long)(c[r].nbcomfa - c[0].nbcomfa)) <
				   CASES / 500,
		   "%s: exact (%d wrong)", names[r], wrong[r]);
	ok(c[1].nbsim == CASES && c[SM94].nbsim == late &&
		   c[0].nbsim_sm == late && c[0].nbsim < late && late < CASES,
	   "uses of the model: %llu by the tree, %llu by sm94",
	   (unsigned long long)c[0].nbsim, (unsigned long long)late);
}

static void join(void)
{
	struct tape_perturb_count c;

	memset(&c, 0, sizeof c);
	/* own 100, other 300, end 350: 50 after the later */
	ok(tape_perturb_join(350, 100, 20, 300, 80, &c) == 80,
	   "the later start stays the later: its p");
	/* other begins at 60, own at 95: the end is 145 */
	ok(tape_perturb_join(350, 100, 5, 300, 240, &c) == 205,
	   "the order of the starts turns round");
	ok(!c.clamped && tape_perturb_join(290, 100, 0, 300, 0, &c) == -10 &&
		   c.clamped == 1,
	   "an end before a start is clamped and counted");
}

int main(void)
{
	state = 4711;
	printf("# seed %llu\n", state);
	leaves();
	counts();
	since();
	properties();
	rules();
	join();
	return done();
}
