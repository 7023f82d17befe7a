/*
 * Values that SimGrid's SMPI makes dependent on the size of a message, written
 * as "0:1e-6:2e-10;1024:3e-6:1e-10". Each section holds from a size on, and has
 * one number (a factor) or two (seconds, and seconds per byte).
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

/* Sorted by size. */
struct sim_factors {
	int n;
	struct sim_section section[SIM_SECTIONS];
};

/*
 * Parses such a text. Numbers after the third of a section are ignored. Returns
 * 0, or TAPE_EFORMAT: a syntax error, a number that is not finite, a negative
 * size, or more than SIM_SECTIONS sections; *f is then unchanged.
 */
int sim_factors_read(const char *text, struct sim_factors *f);

/*
 * The factor for a message of the given size: that of the last section that
 * begins below the size. A section's own size belongs to the section before.
 * Without a section: 1 (SimGrid 3.32, NetworkSmpiModel).
 */
double sim_factors_at(const struct sim_factors *f, double bytes);

/*
 * The overhead in seconds, as above. But the first section also holds below its
 * beginning, and the result is 0 without a section or if it would be negative
 * (SimGrid 3.32, smpi::Host::osend).
 */
double sim_factors_overhead(const struct sim_factors *f, double bytes);

#endif
