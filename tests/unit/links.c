/*
 * Messages that share links: by hand, against dates of SimGrid, and against a
 * simulation in small steps whose rates are found by pouring.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "links.h"
#include "tap.h"

static unsigned long long state;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* Over out and in, or one of them, or none (-1). */
static uint32_t send_over(struct tape_links *l, double at, int out, int in,
			  double bytes, double latency, double work)
{
	int link[2], n = 0;

	if (out >= 0)
		link[n++] = out;
	if (in >= 0 && in != out)
		link[n++] = in;
	return tape_links_send(l, at, link, n, bytes, latency, work);
}

static double load(const struct tape_links *l, int out, int in)
{
	int link[] = { out, in };

	return tape_links_load(l, link, 2);
}

static double arrival(struct tape_links *l, uint32_t id)
{
	double at = NAN, next;

	while (!tape_links_arrived(l, id, &at) &&
	       isfinite(next = tape_links_next(l)))
		tape_links_advance(l, next);
	return at;
}

static int near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static void by_hand(void)
{
	struct tape_links *l = tape_links_new(4);
	uint32_t a, b, c;

	ok(isinf(tape_links_next(l)), "nothing is on its way");
	a = send_over(l, 1000, 0, 1, 8, 50, 200);
	ok(load(l, 0, 3) == 8 && load(l, 2, 1) == 8 &&
		   load(l, 2, 3) == 0, "links know their load");
	ok(near(arrival(l, a), 1250), "alone: latency and work");
	ok(load(l, 0, 1) == 0, "what has arrived is no load");
	tape_links_drop(l, a);
	a = send_over(l, 2000, 0, 1, 8, 50, 200);
	b = send_over(l, 2000, 0, 2, 8, 50, 200);
	ok(near(arrival(l, a), 2450) && near(arrival(l, b), 2450),
	   "two at once share evenly");
	tape_links_drop(l, a);
	tape_links_drop(l, b);
	/* b comes when a has half its work left: both are late by that */
	a = send_over(l, 3000, 0, 1, 8, 50, 200);
	b = send_over(l, 3100, 2, 1, 8, 50, 200);
	c = send_over(l, 3100, 3, -1, 8, 50, 200);
	ok(near(arrival(l, a), 3350) && near(arrival(l, b), 3450) &&
		   near(arrival(l, c), 3350),
	   "only those on a common link hinder each other");
	tape_links_drop(l, a);
	tape_links_drop(l, b);
	tape_links_drop(l, c);
	/* one link with two messages, one of them over another with three:
	 * thirds there, and the rest of the first link for the other */
	a = send_over(l, 4000, 0, 1, 8, 0, 300);
	b = send_over(l, 4000, 0, 2, 8, 0, 300);
	c = send_over(l, 4000, 3, 1, 8, 0, 300);
	send_over(l, 4000, -1, 1, 8, 0, 300);
	ok(near(arrival(l, b), 4450) && near(arrival(l, c), 4900) &&
		   near(arrival(l, a), 4900),
	   "shares are max-min fair");
	ok(near(arrival(l, send_over(l, 5000, -1, -1, 8, 5, 10)), 5015),
	   "no link, no delay");
	/* a link of two and a half */
	tape_links_rate(l, 0, 2.5);
	for (int i = 0; i < 5; i++)
		a = send_over(l, 6000, 0, -1, 8, 0, 300);
	ok(near(arrival(l, a), 6600), "a link may carry several at full rate");
	tape_links_free(l);
}

/*
 * What SimGrid 3.32 gave for two messages of 1024 bytes to one host, on a
 * cluster of links of 1 GB/s: 6764 ns each, the second sent 1268 ns after the
 * first; 8032 for two from one host at once; 4991 for one alone.
 */
static void simgrid(void)
{
	struct tape_links *l = tape_links_new(8);
	double latency = 1950, work = 4991 - latency;
	uint32_t a = send_over(l, 56588, 3, 4, 1024, latency, work);
	uint32_t b = send_over(l, 57856, 1, 4, 1024, latency, work);
	double first = arrival(l, a) - 56588, second = arrival(l, b) - 57856;

	ok(fabs(first - 6764) < 2 && fabs(second - 6764) < 2,
	   "SimGrid's dates, one behind the other (%.0f, %.0f)", first, second);
	a = send_over(l, 164308, 2, 3, 1024, latency, work);
	b = send_over(l, 164308, 2, 1, 1024, latency, work);
	first = arrival(l, a) - 164308;
	second = arrival(l, b) - 164308;
	ok(fabs(first - 8032) < 2 && fabs(second - 8032) < 2,
	   "SimGrid's dates, at once (%.0f, %.0f)", first, second);
	tape_links_free(l);
}

enum { MANY = 60, LINKS = 6, STEP_NS = 1 };

struct sent {
	double at, latency, work, rate, end;
	int link[2], fixed;
};

/* Pours a little into all until a link is full; who is on it is done. */
static void pour(struct sent *s, double now)
{
	double left[LINKS], drop = 1e-3;
	int going = 1;

	for (int k = 0; k < LINKS; k++)
		left[k] = 1;
	for (int i = 0; i < MANY; i++) {
		s[i].rate = 0;
		s[i].fixed = s[i].at + s[i].latency > now || s[i].work <= 0;
	}
	while (going) {
		going = 0;
		for (int i = 0; i < MANY; i++)
			for (int k = 0; k < 2; k++)
				s[i].fixed |= left[s[i].link[k]] < drop;
		for (int i = 0; i < MANY; i++) {
			if (s[i].fixed)
				continue;
			going = 1;
			s[i].rate += drop;
			left[s[i].link[0]] -= drop;
			if (s[i].link[1] != s[i].link[0])
				left[s[i].link[1]] -= drop;
		}
	}
}

static void in_steps(void)
{
	struct tape_links *l = tape_links_new(LINKS);
	struct sent s[MANY];
	uint32_t id[MANY];
	double worst = 0, at = 0, slowest = 0;
	int left = MANY;

	for (int i = 0; i < MANY; i++) {
		at += 400 * uniform();
		s[i] = (struct sent){ .at = at, .latency = 300 * uniform(),
				      .work = 1 + 2000 * uniform(),
				      .link = { (int)(LINKS * uniform()),
						(int)(LINKS * uniform()) } };
		id[i] = send_over(l, at, s[i].link[0], s[i].link[1], 1,
					s[i].latency, s[i].work);
	}
	for (int i = 0; i < MANY; i++) {
		slowest = fmax(slowest, (arrival(l, id[i]) - s[i].at) /
						(s[i].latency + s[i].work));
	}
	for (double now = 0; left; now += STEP_NS) {
		double was;

		pour(s, now);
		for (int i = 0; i < MANY; i++) {
			was = s[i].work;
			s[i].work -= s[i].rate * STEP_NS;
			if (was > 0 && s[i].work <= 0) {
				s[i].end = now + was / s[i].rate;
				left--;
			}
		}
	}
	for (int i = 0; i < MANY; i++) {
		double when = arrival(l, id[i]);

		worst = fmax(worst, fabs(when - s[i].end) / (when - s[i].at));
	}
	ok(slowest > 3, "links are crowded (%.1f times as long)", slowest);
	ok(worst < 0.02, "as in small steps (worst %.4f of a transit)", worst);
	tape_links_free(l);
}

/* Numbers are used again, and nothing is left of messages nobody asks for. */
static void dropped(void)
{
	struct tape_links *l = tape_links_new(2);
	uint32_t most = 0, id = 0;

	for (int i = 0; i < 100000; i++) {
		id = send_over(l, 1000.0 * i, 0, 1, 8, 10, 100);
		tape_links_drop(l, id);
		most = id > most ? id : most;
	}
	tape_links_advance(l, 1e9);
	ok(most < 64 && load(l, 0, 1) == 0,
	   "memory is that of the messages on their way");
	tape_links_free(l);
}

int main(int argc, char **argv)
{
	state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	printf("# seed %llu\n", state);
	by_hand();
	simgrid();
	in_steps();
	dropped();
	return done();
}
