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
	struct tape_efficiency_times t = {n, sum, max, run, ideal, 0, 0, 0, 0};

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
	       isnan(e->parallel) && isnan(e->processors) && isnan(e->threads);
}

/*
 * Three flows compute 4, 6 and 8 s, and wait 1, 2 and 4 s of these for
 * processors: useful are 3, 4 and 4 s. The run takes 10 s.
 */
static void test_shared(void)
{
	struct tape_efficiency_times t = {.n = 3,
					  .sum_ns = 18,
					  .max_ns = 8,
					  .run_ns = 10,
					  .ideal_ns = 9,
					  .is_shared = 1,
					  .useful_sum_ns = 11,
					  .useful_max_ns = 4};
	struct tape_efficiency e = tape_efficiency_factors(&t);

	ok(is_near(e.load_balance, 11.0 / 3 / 4), "shared: load balance");
	ok(is_near(e.processors, 4.0 / 8), "shared: processors");
	ok(is_near(e.communication, 8.0 / 10) &&
	       is_near(e.serialisation, 8.0 / 9) &&
	       is_near(e.transfer, 9.0 / 10),
	   "shared: communication is that of the time outside of calls");
	ok(is_near(e.parallel, 11.0 / 3 / 10) &&
	       is_near(e.parallel, e.load_balance * e.processors *
				       e.serialisation * e.transfer),
	   "shared: parallel efficiency, useful time by all time");
	/* six equal flows on two processors, without other losses */
	t = (struct tape_efficiency_times){.n = 6,
					   .sum_ns = 36,
					   .max_ns = 6,
					   .run_ns = 6,
					   .ideal_ns = 6,
					   .is_shared = 1,
					   .useful_sum_ns = 12,
					   .useful_max_ns = 2};
	e = tape_efficiency_factors(&t);
	ok(is_near(e.load_balance, 1) && is_near(e.processors, 2.0 / 6) &&
	       is_near(e.communication, 1) && is_near(e.parallel, 2.0 / 6),
	   "six balanced flows on two processors");
	/* the longest does not wait: no factor is above 1 */
	t = (struct tape_efficiency_times){.n = 2,
					   .sum_ns = 18,
					   .max_ns = 10,
					   .run_ns = 10,
					   .ideal_ns = 10,
					   .is_shared = 1,
					   .useful_sum_ns = 14,
					   .useful_max_ns = 10};
	e = tape_efficiency_factors(&t);
	ok(is_near(e.load_balance, 0.7) && is_near(e.processors, 1) &&
	       is_near(e.communication, 1) && is_near(e.parallel, 0.7),
	   "only the shorter flow waits");
	t.useful_sum_ns = t.useful_max_ns = 0;
	e = tape_efficiency_factors(&t);
	ok(isnan(e.load_balance) && isnan(e.parallel) &&
	       is_near(e.communication, 1),
	   "nothing is useful");
}

/*
 * A rank of three threads that compute 8, 4 and 6 s, one of a thread that
 * computes 10 s, in 12 s.
 */
static void test_threads(void)
{
	struct tape_efficiency_times t = {.n = 4,
					  .sum_ns = 28,
					  .max_ns = 10,
					  .run_ns = 12,
					  .ideal_ns = NAN,
					  .threads_ns = 3 * 8 + 10};
	struct tape_efficiency e = tape_efficiency_factors(&t), from, to;

	ok(is_near(e.threads, 28.0 / 34), "threads");
	ok(is_near(e.load_balance, 0.7) &&
	       is_near(e.load_balance, e.threads * (34.0 / 4 / 10)),
	   "load balance is that of threads times that of ranks");
	tape_efficiency_bounds(&t, &t, &from, &to);
	ok(is_near(from.threads, e.threads) && is_near(to.threads, e.threads),
	   "bounds of exact times");
	t.threads_ns = 0;
	tape_efficiency_bounds(&t, &t, &from, &to);
	ok(isnan(tape_efficiency_factors(&t).threads) && isnan(from.threads),
	   "no rank has several threads");
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

/* A flow that computes, and that is useful for a part of that. */
static void add_flow(struct tape_efficiency_times *t, double ns, double useful)
{
	t->n++;
	t->sum_ns += ns;
	t->max_ns = fmax(t->max_ns, ns);
	t->useful_sum_ns += useful;
	t->useful_max_ns = fmax(t->useful_max_ns, useful);
}

static int is_between(double from, double x, double to)
{
	return from <= x && x <= to && to <= 1;
}

/* Returns 1 if the bounds contain the factors of times between two others. */
static int has_bounds(int is_shared)
{
	struct tape_efficiency_times low = {.is_shared = is_shared}, high = low,
				     t = low;
	struct tape_efficiency e, from, to;

	for (int i = 0; i < FLOWS; i++) {
		double a = uniform(), b = a + 0.2 * uniform();
		double c = a * uniform(), d = c + (a - c) * uniform();

		add_flow(&low, a, c);
		add_flow(&high, b, d);
		add_flow(&t, a + (b - a) * uniform(), c + (d - c) * uniform());
	}
	low.run_ns = 1.2;
	high.run_ns = 1.5;
	t.run_ns = 1.2 + 0.3 * uniform();
	t.ideal_ns = t.max_ns + (t.run_ns - t.max_ns) * uniform();
	low.ideal_ns = t.ideal_ns - 0.2 * uniform();
	high.ideal_ns = t.ideal_ns + 0.2 * uniform();
	e = tape_efficiency_factors(&t);
	tape_efficiency_bounds(&low, &high, &from, &to);
	return is_between(from.load_balance, e.load_balance, to.load_balance) &&
	       is_between(from.communication, e.communication,
			  to.communication) &&
	       is_between(from.parallel, e.parallel, to.parallel) &&
	       is_between(from.serialisation, e.serialisation,
			  to.serialisation) &&
	       is_between(from.transfer, e.transfer, to.transfer) &&
	       (is_shared
		    ? is_between(from.processors, e.processors, to.processors)
		    : isnan(from.processors) && isnan(to.processors));
}

static void test_bounds(void)
{
	struct tape_efficiency_times t = {4, 10, 4, 8, 5, 0, 0, 0, 0};
	struct tape_efficiency e = tape_efficiency_factors(&t), from, to;
	int within = 0;

	for (int i = 0; i < TRIALS; i++)
		within += has_bounds(i % 2);
	ok(within == TRIALS, "bounds: %d of %d trials (seed 20261128)", within,
	   TRIALS);
	tape_efficiency_bounds(&t, &t, &from, &to);
	ok(is_near(from.parallel, e.parallel) &&
	       is_near(to.parallel, e.parallel) &&
	       is_near(from.load_balance, e.load_balance) &&
	       is_near(to.communication, e.communication) &&
	       is_near(from.serialisation, e.serialisation) &&
	       is_near(to.transfer, e.transfer),
	   "bounds of exact times are the factors");
	t.ideal_ns = NAN;
	tape_efficiency_bounds(&t, &t, &from, &to);
	ok(isnan(from.transfer) && isnan(to.serialisation) &&
	       is_near(from.parallel, e.parallel),
	   "no bounds of T_ideal: the others have theirs");
}

/* On 4 and on 8 flows: 100 s and 60 s, 320 s and 400 s of computing. */
static void test_scaling(void)
{
	struct tape_efficiency_times a = {4, 320, 80, 100, NAN, 0, 0, 0, 0};
	struct tape_efficiency_times b = {8, 400, 55, 60, NAN, 0, 0, 0, 0},
				     none = {0};
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
	test_shared();
	test_threads();
	test_bounds();
	return done();
}
