/* The factors of efficiency against their definitions, and their bounds against
 * factors of times drawn within them. */
#include <math.h>

#include "efficiency.h"
#include "tap.h"

static unsigned long long state = 20261128;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static struct tape_efficiency factors(size_t n, double sum, double max,
				      double run, double ideal)
{
	struct tape_efficiency_times t = {n, sum, max, run, ideal};

	return tape_efficiency_factors(&t);
}

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* Four flows compute 1, 2, 3 and 4 s; the run takes 8 s, ideally 5 s. */
static void test_definitions(void)
{
	struct tape_efficiency e = factors(4, 10, 4, 8, 5);

	ok(is_near(e.load_balance, 10.0 / 4 / 4), "load balance");
	ok(is_near(e.serialisation, 4.0 / 5), "serialisation");
	ok(is_near(e.transfer, 5.0 / 8), "transfer");
	ok(is_near(e.communication, 4.0 / 8) &&
		   is_near(e.communication, e.serialisation * e.transfer),
	   "communication, their product");
	ok(is_near(e.parallel, 10.0 / 4 / 8) &&
		   is_near(e.parallel, e.load_balance * e.communication),
	   "parallel efficiency, the product of all");
}

static int is_unknown(const struct tape_efficiency *e)
{
	return isnan(e->load_balance) && isnan(e->serialisation) &&
	       isnan(e->transfer) && isnan(e->communication) &&
	       isnan(e->parallel);
}

static void test_unknown(void)
{
	struct tape_efficiency e = factors(0, 0, 0, 8, 5);

	ok(is_unknown(&e), "no flows");
	e = factors(4, 0, 0, 8, 5);
	ok(is_unknown(&e), "nothing is computed");
	e = factors(4, 10, 4, 8, NAN);
	ok(isnan(e.serialisation) && isnan(e.transfer) &&
		   is_near(e.communication, 0.5),
	   "T_ideal is not known: the others are");
	e = factors(4, 10, 4, 8, 9);
	ok(isnan(e.serialisation) && isnan(e.transfer),
	   "T_ideal above the run time");
	e = factors(4, 10, 4, 8, 3);
	ok(isnan(e.serialisation) && isnan(e.transfer),
	   "T_ideal below the longest computing time");
	e = factors(4, 10, 4, 3, NAN);
	ok(isnan(e.communication) && isnan(e.parallel) &&
		   is_near(e.load_balance, 0.625),
	   "a flow computes longer than the run");
	e = factors(4, 16, 4, 4 - 1e-9, 4 + 1e-9);
	ok(e.load_balance <= 1 && e.serialisation <= 1 && e.transfer <= 1 &&
		   e.communication <= 1 && e.parallel <= 1 &&
		   is_near(e.parallel, 1),
	   "errors of rounding: no factor is above 1");
}

enum { FLOWS = 5, TRIALS = 2000 };

static void add_flow(struct tape_efficiency_times *t, double ns)
{
	t->n++;
	t->sum_ns += ns;
	t->max_ns = fmax(t->max_ns, ns);
}

/* Returns 1 if the bounds contain the factors of times between two others. */
static int has_bounds(void)
{
	struct tape_efficiency_times low = {0}, high = {0}, t = {0};
	struct tape_efficiency e, from, to;

	for (int i = 0; i < FLOWS; i++) {
		double a = uniform(), b = a + 0.2 * uniform();

		add_flow(&low, a);
		add_flow(&high, b);
		add_flow(&t, a + (b - a) * uniform());
	}
	low.run_ns = 1.2;
	high.run_ns = 1.5;
	t.run_ns = 1.2 + 0.3 * uniform();
	t.ideal_ns = NAN;
	e = tape_efficiency_factors(&t);
	tape_efficiency_bounds(&low, &high, &from, &to);
	return from.load_balance <= e.load_balance &&
	       e.load_balance <= to.load_balance &&
	       from.communication <= e.communication &&
	       e.communication <= to.communication &&
	       from.parallel <= e.parallel && e.parallel <= to.parallel &&
	       to.parallel <= 1 && to.load_balance <= 1 &&
	       to.communication <= 1 && isnan(from.transfer) &&
	       isnan(to.serialisation);
}

static void test_bounds(void)
{
	struct tape_efficiency_times t = {4, 10, 4, 8, NAN};
	struct tape_efficiency e = tape_efficiency_factors(&t), from, to;
	int within = 0;

	for (int i = 0; i < TRIALS; i++)
		within += has_bounds();
	ok(within == TRIALS, "bounds: %d of %d trials (seed 20261128)", within,
	   TRIALS);
	tape_efficiency_bounds(&t, &t, &from, &to);
	ok(is_near(from.parallel, e.parallel) &&
		   is_near(to.parallel, e.parallel) &&
		   is_near(from.load_balance, e.load_balance) &&
		   is_near(to.communication, e.communication),
	   "bounds of exact times are the factors");
}

/* On 4 and on 8 flows: 100 s and 60 s, 320 s and 400 s of computing. */
static void test_scaling(void)
{
	struct tape_efficiency_times a = {4, 320, 80, 100, NAN};
	struct tape_efficiency_times b = {8, 400, 55, 60, NAN}, none = {0};
	struct tape_scaling s = tape_efficiency_scaling(&a, &b, 0);

	ok(is_near(s.speed_up, 100.0 / 60) && is_near(s.computation, 0.8) &&
		   is_near(s.global, 400.0 / 8 / 60 * 0.8),
	   "a run on twice as many flows");
	ok(is_near(s.global, 320.0 / 4 / 100 * (100.0 * 4) / (60.0 * 8)),
	   "global efficiency: T n of the reference / (T n)");
	s = tape_efficiency_scaling(&a, &b, 1);
	ok(is_near(s.speed_up, 200.0 / 60) && is_near(s.computation, 1.6) &&
		   is_near(s.global, 320.0 / 4 / 60),
	   "weak: of twice the work");
	s = tape_efficiency_scaling(&a, &a, 0);
	ok(is_near(s.speed_up, 1) && is_near(s.computation, 1),
	   "a run and itself");
	s = tape_efficiency_scaling(&none, &b, 0);
	ok(isnan(s.speed_up) && isnan(s.computation) && isnan(s.global),
	   "no reference");
}

int main(void)
{
	test_scaling();
	test_definitions();
	test_unknown();
	test_bounds();
	return done();
}
