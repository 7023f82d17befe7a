/*
 * Messages put in order, by hand: dates are moved within their intervals until
 * each message is received 2 ns after it was sent, and no further.
 */
#include <math.h>
#include <stdlib.h>

#include "causal.h"
#include "tap.h"

static double at(const struct clock *c, double reading)
{
	return clock_instant(&c->track, reading, NULL, NULL);
}

/* A clock of 1 ms that shows the reference's dates, to within 1000 ns. */
static struct clock even_clock(void)
{
	struct clock c = { .status = CLOCK_PLACED };

	c.track.n = 2;
	c.track.knot = malloc(2 * sizeof *c.track.knot);
	for (int i = 0; i < 2; i++)
		c.track.knot[i] =
			(struct tape_clock_knot){ 1e6 * i, 0, -1000, 1000 };
	return c;
}

/*
 * Clock 1 was set back after it had sent a message, and received the answer at
 * the same reading: no clocks allow that. What comes after it is put in order
 * all the same.
 */
static void circle(void)
{
	struct bounds_message from_1[] = { { .sent = 300000,
					     .received = 300200 } };
	struct bounds_message from_2[] = { { .sent = 300300,
					     .received = 300000 },
					   { .sent = 700000,
					     .received = 699990 } };
	const struct bounds_pair way[] = {
	    {.from = 1, .to = 2, .kept = from_1, .n = 1},
	    {.from = 2, .to = 1, .kept = from_2, .n = 2},
	};
	struct clock c[3] = { { .status = CLOCK_REFERENCE }, even_clock(),
			      even_clock() };
	struct clocks k = { .c = c, .n = 3, .from_ns = 0, .to_ns = 1e6 };
	static const unsigned char known[] = { 1, 1, 1 };

	causal_order(&k, way, 2, known);
	ok(at(&c[2], 300200) > at(&c[1], 300000),
	   "one of two messages in a circle is in order");
	ok(fabs(at(&c[1], 699990) - at(&c[2], 700000) - 2) < 0.01,
	   "and the one after the circle: %.3f, %.3f", at(&c[1], 699990),
	   at(&c[2], 700000));
	for (int i = 1; i < 3; i++)
		tape_clock_track_free(&c[i].track);
}

int main(void)
{
	struct bounds_message there[] = { { .sent = 100000,
					    .received = 200000 },
					  { .sent = 500010,
					    .received = 500000 } };
	struct bounds_message back[] = { { .sent = 700000,
					   .received = 699990 } };
	const struct bounds_pair way[] = {
	    {.from = 0, .to = 1, .kept = back, .n = 1},
	    {.from = 1, .to = 0, .kept = there, .n = 2},
	};
	struct clock c[2] = { { .status = CLOCK_REFERENCE }, even_clock() };
	struct clocks k = { .c = c, .n = 2, .from_ns = 0, .to_ns = 1e6 };
	static const unsigned char known[] = { 1, 1 };

	causal_order(&k, way, 2, known);
	ok(fabs(at(&c[1], 100000) - 100000) < 0.01,
	   "a message in order stays where it was");
	ok(fabs(at(&c[1], 500010) - 499998) < 0.01,
	   "sent after it was received: sent 2 ns before, %.3f",
	   at(&c[1], 500010));
	ok(fabs(at(&c[1], 699990) - 700002) < 0.01,
	   "received before it was sent: received 2 ns after, %.3f",
	   at(&c[1], 699990));
	ok(c[1].source & CLOCK_MESSAGES, "the track is by messages, too");
	tape_clock_track_free(&c[1].track);
	circle();
	return done();
}
