/*
 * Bounds of what a thread did in a part of a window. Truth: made histories, of
 * which each moment's state is known.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor_use.h"
#include "tap.h"

enum { RUNS = 20000, PIECES = 12 };

static uint64_t state = 1;

static double draw_number(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* A history of random pieces, some of which belong to the part. */
static int holds_true_values(int knows_waiting)
{
	double all[TAPE_PROCESSOR_STATES] = {0}, part[3] = {0}, part_ns = 0;
	struct tape_processor_window w = {.waited_ns = NAN};
	struct tape_processor_use u;
	int may_block = draw_number() < 0.7;

	for (int i = 0; i < PIECES; i++) {
		int is = (int)(draw_number() * (may_block ? 3 : 2));
		double ns = draw_number() * 1e6;

		all[is] += ns;
		w.ns += ns;
		w.voluntary |= is == TAPE_PROCESSOR_BLOCKED;
		if (draw_number() < 0.6)
			continue;
		part[is] += ns;
		part_ns += ns;
	}
	w.cpu_ns = all[TAPE_PROCESSOR_RUNS];
	if (knows_waiting)
		w.waited_ns = all[TAPE_PROCESSOR_READY];
	w.error_ns = 1e-3;
	u = tape_processor_use(&w, part_ns);
	for (int i = 0; i < TAPE_PROCESSOR_STATES; i++)
		if (!(u.from_ns[i] <= part[i] && part[i] <= u.to_ns[i] &&
		      u.to_ns[i] <= part_ns + 1e-3))
			return 0;
	return 1;
}

static int count_wrong(int knows_waiting)
{
	int wrong = 0;

	for (int i = 0; i < RUNS; i++)
		wrong += !holds_true_values(knows_waiting);
	return wrong;
}

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

/* What a flow took; of that it was ready so long; and bounds of the latter. */
struct side {
	double ns, ready_ns;
	struct tape_ready bounds;
};

/* Windows of which parts count: ready is drawn in the part, and beside it. */
static struct side draw_side(void)
{
	struct side s = {0};

	for (int i = 0; i < PIECES; i++) {
		double part = draw_number() * 1e6, rest = draw_number() * 1e6;
		double ready = draw_number() * part;
		double beside = draw_number() * rest;
		struct tape_processor_window w = {
		    part + rest, part + rest - ready - beside, ready + beside,
		    1, 1};
		struct tape_ready_window r = tape_processor_ready_window(&w);

		s.ns += part;
		s.ready_ns += ready;
		tape_processor_add_ready(&s.bounds, &r, part);
	}
	return s;
}

/* With a processor for each the one is late by less, or not at all. */
static int count_wrong_delays(void)
{
	int wrong = 0;

	for (int i = 0; i < RUNS; i++) {
		struct side late = draw_side(), other = draw_side();
		double delay = late.ns - other.ns, own, true_ns;
		struct tape_ready r;

		if (delay <= 0)
			continue;
		own = (late.ns - late.ready_ns) - (other.ns - other.ready_ns);
		true_ns = fmax(0, delay - fmax(0, own));
		tape_processor_bound_delay(&r, delay, &late.bounds,
					   &other.bounds);
		wrong += !(r.from_ns <= true_ns && true_ns <= r.to_ns &&
			   r.to_ns <= delay);
	}
	return wrong;
}

int main(void)
{
	struct tape_processor_window w = {100, 30, 20, 1, 0};
	struct tape_processor_use u = tape_processor_use(&w, 100);

	ok(is_near(u.from_ns[0], 30) && is_near(u.to_ns[0], 30) &&
	       is_near(u.from_ns[1], 20) && is_near(u.to_ns[1], 20) &&
	       is_near(u.from_ns[2], 50) && is_near(u.to_ns[2], 50),
	   "all of a window: exactly");
	u = tape_processor_use(&w, 60);
	ok(is_near(u.from_ns[2], 10) && is_near(u.to_ns[2], 50) &&
	       is_near(u.from_ns[0], 0) && is_near(u.to_ns[0], 30),
	   "a part: X - (T - part) to X");
	w.voluntary = 0;
	w.waited_ns = NAN;
	u = tape_processor_use(&w, 100);
	ok(is_near(u.from_ns[1], 70) && is_near(u.to_ns[2], 0),
	   "never given up: it waited whenever it did not run");
	ok(!count_wrong(1), "%d made histories are within their bounds", RUNS);
	ok(!count_wrong(0), "also where the kernel does not tell of waiting");
	ok(!count_wrong_delays(), "delays without waiting for a processor");
	return done();
}
