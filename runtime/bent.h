/*
 * A test's clock: this process dates events by a clock with a known error
 * (bend.h), and keeps the true date, CLOCK_MONOTONIC_RAW, of each reading.
 *
 *	TAPE_TEST_CLOCK="1:offset=2e9,drift=3e-5 2:sine=17500:2e9:0"
 *
 * in the environment of all ranks: RANK:BEND, separated by blanks. A rank that
 * is named is a clock domain of its own; the others read CLOCK_MONOTONIC_RAW
 * itself. Each leaves a file truth.R in the trace directory: lines of a reading
 * and its true date, in the order of reading. For tests only, and no setting:
 * it does not belong into tape.conf.
 */
#ifndef TAPE_BENT_H
#define TAPE_BENT_H

/*
 * From now on this process, rank of the world, reads such a clock, if the
 * environment says so: then 1, else 0, or -1 where it cannot be understood or
 * memory is missing, and nothing has changed. name receives the source of the
 * clock, "" where it is the machine's own: at least 32 bytes.
 */
int tape_bent_start(int rank, char *name);

/* Writes the truth into the directory dir; -1: not all of it was kept. */
int tape_bent_stop(int rank, const char *dir);

#endif
