/*
 * Recorded rounds of clock sampling between two processes that read one clock.
 * Whatever is made of them is known to be wrong by as much as it differs from
 * offset 0 and drift 0; a clock of any kind can be put in the place of one.
 *
 * The text (bench/stamps.c writes it): one round a line, phases separated by an
 * empty line,
 *
 *	S_REF R_J S_J R_REF
 *
 * in ns of that one clock from an origin of the recording: the reference sent
 * at S_REF what the other received at R_J, and received at R_REF what that sent
 * at S_J. Mostly the reference asks, S_REF < R_J <= S_J < R_REF; where the
 * other did, S_J < R_REF <= S_REF < R_J. Transits are R_J - S_REF and
 * R_REF - S_J.
 */
#ifndef STAMPS_H
#define STAMPS_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"

/* Phase i: round[start[i]] to round[start[i + 1] - 1]. */
struct stamps {
	size_t n_phases;
	size_t *start;
	struct tape_clock_round *round;
};

/*
 * Reads a recording. Returns 0, TAPE_EIO, TAPE_EFORMAT (no rounds, or a line
 * that is none) or TAPE_ENOMEM; free it with stamps_free in any case.
 */
int stamps_read(const char *path, struct stamps *s);
void stamps_free(struct stamps *s);

/*
 * Copies a phase to out, which has room for all its rounds, so that its first
 * one begins at at_ns, and gives j the clock that is ahead by offset_ns and
 * gains drift s/s. Returns how many rounds.
 */
size_t stamps_phase(const struct stamps *s, size_t phase, double at_ns,
		    double offset_ns, double drift, int after,
		    struct tape_clock_round *out);

/* Uniform in [0, 1); advances the state. */
double stamps_uniform(uint64_t *state);

#endif
