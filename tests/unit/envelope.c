/*
 * The guaranteed interval of a track of three pieces, the middle one a zone in
 * which the clock was not free-running: by hand. Outside of it the clock keeps
 * to the track's rate, so that a bound there holds up to the zone.
 */
#include <math.h>

#include "envelope.h"
#include "tap.h"

/* Bounds of the offset, less the track's, left and right of the zone. */
struct sides {
	double lo[2], hi[2];
};

static void envelope(const struct sides *b, struct tape_clock_knot *knot)
{
	static const unsigned char zone[3] = { 0, 1, 0 };
	static const struct tape_envelope_rate still[3] = { { 0, 0, 0 } };
	struct tape_clock_track t = { 4, knot, 0, 0 };
	struct tape_corridor_bound bound[4];
	struct tape_corridor_bounds s = { bound, 4, NULL };

	for (int i = 0; i < 2; i++) {
		double x = i ? 2500 : 500, e = knot[i ? 2 : 1].offset_ns;

		bound[2 * i] = (struct tape_corridor_bound){
			x, e + b->hi[i], 1 };
		bound[2 * i + 1] = (struct tape_corridor_bound){
			x, e + b->lo[i], 0 };
	}
	ok(!tape_envelope(&t, 0, zone, still, &s), "an envelope");
}

static int is(const struct tape_clock_knot *k, double lo, double hi)
{
	return fabs(k->lo_ns - lo) < 1e-9 && fabs(k->hi_ns - hi) < 1e-9;
}

/* The track has the offset 0 up to 1000, and jump from 2000 on. */
static void make(struct tape_clock_knot *k, double jump)
{
	for (int i = 0; i < 4; i++)
		k[i] = (struct tape_clock_knot){ 1000.0 * i, i < 2 ? 0 : jump,
						 0, 0 };
}

int main(void)
{
	struct tape_clock_knot k[4];

	/* The clock may have risen by 150 or fallen by 130. If it rose, then
	 * perhaps at the very end of the zone, from the 100 below that the
	 * left side allows; if it fell, from 100 above. */
	make(k, 0);
	envelope(&(struct sides){ { -100, -30 }, { 100, 50 } }, k);
	ok(is(&k[0], -100, 100) && is(&k[3], -30, 50),
	   "free-running: what bounds its own side");
	ok(is(&k[1], -100, 100),
	   "a zone of unknown direction: at its beginning");
	ok(is(&k[2], -100, 100), "and at its end, both sides are kept");

	/* It rose by 170 to 400. Before the zone's end it was no higher than
	 * 50 above 250, after its beginning no lower than 100 below 0. */
	make(k, 250);
	envelope(&(struct sides){ { -100, -30 }, { 50, 50 } }, k);
	ok(is(&k[1], -350, 300) && is(&k[2], -350, 300), "it rose");
	return done();
}
