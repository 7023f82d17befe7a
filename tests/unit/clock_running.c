/*
 * Clocks while the program runs, against simulated ones whose errors are known:
 * they drift by up to 90 ppm, wander, and send messages that take a random
 * time.
 */
#include <math.h>
#include <stdio.h>

#include "clock_running.h"
#include "tap.h"

enum { CLOCKS = 4, SECONDS = 60 };

/* A true clock, and the map that is in use of it. */
struct simulated {
	double offset, drift; /* now */
	double map;	      /* what is taken off its readings, now */
	double at;	      /* both at that true date */
	struct tape_clock_error e;
};

static unsigned long state = 88172645463325252ul;

static double random01(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static void advance(struct simulated *c, double t)
{
	double dt = t - c->at;

	c->offset += c->drift * dt;
	c->map -= c->e.steered * dt;
	c->at = t;
}

/* Date less true date. */
static double error(const struct simulated *c)
{
	return c->offset - c->map;
}

struct outcome {
	double worst, widest; /* in the second half, of all clocks */
	long outside, messages;
};

struct message {
	int a, b;
	double sent, received;
};

enum { LATE = 1024 };

/*
 * trip: the least a message takes, and on the average as much more; ns. Each is
 * heard of when so many more have been sent.
 */
static struct outcome simulate(double most_drift, double gap, double trip,
			       double asymmetry, int late, double span)
{
	struct message m[LATE];
	struct simulated c[CLOCKS] = {{0}};
	struct outcome o = {0, 0, 0, 0};
	double next = 1e9;

	c[0].e.reference = 1;
	for (int i = 1; i < CLOCKS; i++) {
		double half = trip * (1 + random01());

		c[i].drift = most_drift * (2 * random01() - 1);
		c[i].offset = 1e6 * random01();
		/* rounds at the start: the truth is somewhere in it */
		c[i].map = c[i].offset - half * (2 * random01() - 1);
		c[i].e.lo_ns = -half;
		c[i].e.hi_ns = half;
	}
	for (double t = 0; t < SECONDS * 1e9; t += gap * -log(1 - random01())) {
		int a = (int)(random01() * CLOCKS),
		    b = (int)(random01() * CLOCKS);
		double took = trip * (1 - log(1 - random01()));
		double sent, received;

		if (a > b)
			took *= asymmetry;
		advance(&c[a], t);
		sent = t + error(&c[a]);
		advance(&c[b], t + took);
		received = t + took + error(&c[b]);
		m[o.messages % LATE] = (struct message){a, b, sent, received};
		if (o.messages >= late) {
			const struct message *old =
			    &m[(o.messages - late) % LATE];

			tape_clock_running_message(&c[old->a].e, &c[old->b].e,
						   old->sent, old->received);
		}
		o.messages++;
		for (int i = 1; i < CLOCKS; i++) {
			advance(&c[i], t + took);
			tape_clock_running_advance(&c[i].e,
						   t + took + error(&c[i]));
			o.outside += error(&c[i]) < c[i].e.lo_ns - 1 ||
				     error(&c[i]) > c[i].e.hi_ns + 1;
			if (t < SECONDS * .5e9)
				continue;
			o.worst = fmax(o.worst, fabs(error(&c[i])));
			o.widest = fmax(o.widest, c[i].e.hi_ns - c[i].e.lo_ns);
		}
		if (t > next) {
			next += span;
			for (int i = 1; i < CLOCKS; i++) {
				c[i].drift += 1e-7 * (random01() - .5);
				tape_clock_running_steer(
				    &c[i].e, t + took + error(&c[i]),
				    t + took + error(&c[i]), span);
			}
		}
		t = fmax(t, c[0].at);
	}
	return o;
}

static void by_hand(void)
{
	struct tape_clock_error a = {.reference = 1};
	struct tape_clock_error b = {.lo_ns = -100, .hi_ns = 100};
	double faster;

	tape_clock_running_message(&a, &b, 1000, 1030);
	ok(b.hi_ns > 29.9 && b.hi_ns < 30.3,
	   "it cannot be ahead by more than the trip");
	ok(b.lo_ns < -100, "the other side is what it was, and drift");
	tape_clock_running_message(&b, &a, 2000, 1990);
	ok(b.lo_ns > 9.5 && b.lo_ns < 10.5,
	   "an answer that arrives before it was sent: it is ahead");
	tape_clock_running_message(&a, &b, 3000, 2000);
	ok(b.lo_ns < b.hi_ns, "what contradicts all is left");
	a = (struct tape_clock_error){.lo_ns = -INFINITY, .hi_ns = INFINITY};
	ok(tape_clock_running_steer(&a, 10, 10, 1e9) == 0,
	   "nothing is known: it goes as it does");
	b = (struct tape_clock_error){.lo_ns = 1e5, .hi_ns = 3e5};
	faster = tape_clock_running_steer(&b, 0, 1e8, 1e9);
	ok(fabs(b.lo_ns - (1e5 - 2e-4 * 1e8 + faster * 1e8)) < 1e-3 &&
		   fabs(b.hi_ns - (3e5 + 2e-4 * 1e8 + faster * 1e8)) < 1e-3,
	   "steered from a date on that has passed: so much has been added");
	b = (struct tape_clock_error){.lo_ns = 9e8, .hi_ns = 9e8 + 1};
	faster = tape_clock_running_steer(&b, 0, 0, 1e8);
	ok(faster > -1e-3 && faster < -0.5e-3,
	   "far off: as fast as a map may be made, and no faster");
}

int main(void)
{
	struct outcome o;

	by_hand();
	o = simulate(9e-5, 1e6, 20e3, 1, 0, 1e9);
	printf("# %ld of %ld outside, worst %.1f us, widest %.1f us\n",
	       o.outside, o.messages, o.worst / 1e3, o.widest / 1e3);
	ok(!o.outside, "90 ppm: the truth is in the interval, always");
	ok(o.worst < 60e3, "and what is shown is right to three trips");
	ok(o.worst <= o.widest, "less than what the interval allows");
	o = simulate(9e-5, 1e6, 20e3, 3, 0, 1e9);
	ok(!o.outside, "messages one way take three times as long: as well");
	o = simulate(9e-5, 5e8, 20e3, 1, 0, 1e9);
	ok(!o.outside, "two messages a second: as well");
	printf("# worst %.1f us, widest %.1f us\n", o.worst / 1e3,
	       o.widest / 1e3);
	ok(o.worst < 2 * 9e-5 * 20e9, "and they are better than none");
	o = simulate(9e-5, 1e6, 20e3, 1, 500, 1e9);
	printf("# heard late: %ld outside, worst %.1f us, widest %.1f us\n",
	       o.outside, o.worst / 1e3, o.widest / 1e3);
	ok(!o.outside, "messages heard of half a second later: as well");
	ok(o.worst < 300e3 && o.widest > o.worst, "and they are of use");
	o = simulate(9e-5, 1e6, 20e3, 1, 500, 1e8);
	printf("# heard late, steered often: %ld outside, worst %.1f us\n",
	       o.outside, o.worst / 1e3);
	ok(!o.outside, "steered five times before they are heard of: as well");
	o = simulate(9e-5, 1e6, 20e3, 1, 1000, 2e7);
	ok(!o.outside, "steered more often than is remembered: as well");
	return done();
}
