/*
 * What SimGrid's SMPI lets depend on the size of a message, written as
 * "0:1e-6:2e-10;1024:3e-6:1e-10": sections, each from a size on, with one
 * number (a factor) or two (seconds, and seconds for each byte).
 *
 *	if (sim_factors_read("0:1.5;4096:1.1", &f) < 0)
 *		...
 *	latency *= sim_factors_at(&f, bytes);
 */
#ifndef SIM_SIZE_FACTORS_H
#define SIM_SIZE_FACTORS_H

#include <stdint.h>

#define SIM_SECTIONS 64

struct sim_section {
	double from_bytes;
	double base, per_byte;
};

/* By rising size. */
struct sim_factors {
	int n;
	struct sim_section section[SIM_SECTIONS];
};

/*
 * Reads such a text; numbers behind the third of a section say nothing here.
 * Returns 0, or TAPE_EFORMAT where it is none, with a number that is not finite
 * or a negative size, or with more than SIM_SECTIONS; f is then untouched.
 */
int sim_factors_read(const char *text, struct sim_factors *f);

/*
 * The factor for a message of that size: that of the last section that begins
 * below it, a section's own size belonging to the one before; none: 1
 * (SimGrid 3.32, NetworkSmpiModel).
 */
double sim_factors_at(const struct sim_factors *f, double bytes);

/*
 * The overhead, seconds: the same, but that the first section also holds below
 * its beginning, and that none, or a negative one, is 0 (SimGrid 3.32,
 * smpi::Host::osend).
 */
double sim_factors_overhead(const struct sim_factors *f, double bytes);

#endif
