/*
 * The certificate against messages whose truth is known: the run without the
 * tracer is drawn first, the traced one follows from it, and the perturbation
 * must be within the bounds that the traced one alone gives.
 */
#include <math.h>

#include "delay_bounds.h"
#include "perturb.h"
#include "tap.h"

enum { CASES = 300000 };

static unsigned long long state;

static int64_t below(int64_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (int64_t)((state >> 33) % (unsigned long long)n);
}

static struct tape_delay around(double p, int exact)
{
	struct tape_delay d = { p, p, p };

	if (exact)
		return d;
	d.lo -= (double)below(500);
	d.hi += (double)below(500);
	d.p = d.lo + (double)below((int64_t)(d.hi - d.lo) + 1);
	return d;
}

/* One message: what was measured in x; the perturbation at its end. */
static double message(struct tape_transfer *x, int64_t error, int64_t *transit)
{
	int64_t s0 = 100000 + below(3000), sr0 = 100000 + below(3000);
	int64_t ps = below(2000), pr = below(2000), dc = below(200);
	int64_t asked = below(3) ? 0 : below(800), b, end0, end;

	*transit = below(3000);
	b = s0 + ps + *transit;
	end0 = (sr0 > s0 + *transit ? sr0 : s0 + *transit) + dc;
	end = (sr0 + pr > b ? sr0 + pr : b) + dc;
	*x = (struct tape_transfer){ .s_ns = s0 + ps, .sr_ns = sr0 + pr + error,
				     .er_ns = end + error, .ps = (double)ps,
				     .pr = (double)pr,
				     .arrived = b <= sr0 + pr - asked,
				     .asked_ns = (double)asked,
				     .dmax_ns = INFINITY };
	return (double)(end - end0);
}

static void receives(void)
{
	int outside = 0, open = 0, tree = 0, reached = 0;

	for (int i = 0; i < CASES; i++) {
		int64_t slack = below(3) ? 0 : below(300), transit;
		int64_t error = slack ? below(2 * slack + 1) - slack : 0;
		struct tape_transfer x;
		double p = message(&x, error, &transit);
		int exact = (int)below(2);
		struct tape_delay ps = around(x.ps, exact), d;
		struct tape_delay pr = around(x.pr, exact);

		if (below(2))
			x.dmax_ns = (double)(transit + below(1000));
		x.transit_ns = (double)below(4000);
		x.dc_ns = (double)below(500);
		if (!below(5))
			x.arrived = 2;
		tape_delay_receive(&x, (double)slack, &ps, &pr, &d);
		outside += p < d.lo || p > d.hi;
		open += d.lo < d.hi;
		reached += d.lo < d.hi && (p == d.lo || p == d.hi);
		if (x.arrived == 2 || slack)
			continue;
		/* any model keeps to the same bounds */
		x.ps = ps.p;
		x.pr = pr.p;
		d.p = tape_perturb_receive(&x, NULL);
		tree += d.p < d.lo - 1e-9 || d.p > d.hi + 1e-9;
	}
	ok(!outside, "the truth is within its bounds (%d outside)", outside);
	ok(open > CASES / 3 && reached > CASES / 20,
	   "bounds are needed in %d cases, and reached in %d", open, reached);
	ok(!tree, "so is what a wrong model gives (%d outside)", tree);
}

static void joins(void)
{
	int outside = 0, open = 0;

	for (int i = 0; i < CASES; i++) {
		int64_t a0 = below(3000), b0 = below(3000), lag = below(100);
		int64_t pa = below(2000), pb = below(2000);
		int64_t slack = below(3) ? 0 : below(300);
		int64_t error = slack ? below(2 * slack + 1) - slack : 0;
		int64_t end0 = (a0 > b0 ? a0 : b0) + lag, p;
		int exact = (int)below(2);
		struct tape_delay a = around((double)pa, exact), d;
		struct tape_delay b = around((double)pb, exact);

		p = (a0 + pa > b0 + pb ? a0 + pa : b0 + pb) + lag - end0;
		tape_delay_join(a0 + pa, &a, b0 + pb + error, &b, (double)slack,
				&d);
		outside += (double)p < d.lo || (double)p > d.hi;
		open += exact && !slack && d.lo < d.hi;
	}
	ok(!outside, "what follows two starts, too (%d outside)", outside);
	ok(!open, "from certain starts a certain end (%d not)", open);
}

/* Where the tree needs no model, there is nothing open. */
static void closed(void)
{
	struct tape_delay ps = { 300, 300, 300 }, pr = { 100, 100, 100 }, d;
	struct tape_transfer x = { .s_ns = 1000, .sr_ns = 2000, .er_ns = 2040,
				   .arrived = 1, .dmax_ns = INFINITY };

	tape_delay_receive(&x, 0, &ps, &pr, &d);
	ok(d.lo == 100 && d.hi == 100, "arrived, pR < pS: pR");
	tape_delay_receive(&x, 0, &pr, &ps, &d);
	ok(d.lo == 100 && d.hi == 300, "arrived, pR > pS: between them");
	x.dmax_ns = 800;
	tape_delay_receive(&x, 0, &pr, &ps, &d);
	ok(d.lo == 300 && d.hi == 300, "and pR where the bound says so");
	/* waited from 500 to 1540: sent at 1000 */
	x = (struct tape_transfer){ .s_ns = 1000, .sr_ns = 500, .er_ns = 1540,
				    .dmax_ns = INFINITY };
	tape_delay_receive(&x, 0, &ps, &pr, &d);
	ok(d.lo == 300 && d.hi == 300, "waited since long before S: pS");
}

/* By hand: 2^62 is 4611686018427387904. */
static void dates(void)
{
	static const struct {
		int64_t ns;
		double p;
		int64_t less;
	} of[] = { { 1000, 400.4, 600 },
		   { 1000, -400.6, 1401 },
		   { -5, 0, -5 },
		   { 1000, 1e30, -4599999999999999000 },
		   { 1000, -1e30, 4600000000000001000 },
		   { 4600000000000000000, -INFINITY, 4611686018427387903 },
		   { INT64_MAX, 0, 4611686018427387903 },
		   { INT64_MIN, 1e30, -4611686018427387903 } };
	int wrong = 0;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		wrong += tape_timestamp_minus(of[i].ns, of[i].p) != of[i].less;
	ok(!wrong, "a date less a perturbation is a date, whatever that is");
}

int main(void)
{
	state = 20260417;
	printf("# seed %llu\n", state);
	receives();
	joins();
	closed();
	dates();
	return done();
}
