/*
 * Settings: tape.conf, then environment variables TAPE_<KEY>, the latter
 * winning. taperun checks them before a run with the same code.
 */
#ifndef TAPE_CONFIG_H
#define TAPE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "record.h"

enum tape_sampling { TAPE_SAMPLING_OFF, TAPE_SAMPLING_ON, TAPE_SAMPLING_BEFORE };

/* Groups of calls, bits of tape_config.groups. */
enum tape_group {
	TAPE_GROUP_P2P = 1,
	TAPE_GROUP_PROBE = 2,
	TAPE_GROUP_COMPLETION = 4,
	TAPE_GROUP_COLLECTIVE = 8,
	TAPE_GROUP_COMMUNICATOR = 16,
	TAPE_GROUP_LOCAL = 32,
	TAPE_GROUP_REGION = 64,
	TAPE_GROUP_ALL = 127
};

/* Longest name of a counter, with its NUL. */
#define TAPE_COUNTER_NAME 128

struct tape_config {
	char trace[3072];            /* directory; "": made from the program */
	uint64_t window_bytes;       /* mapped at once */
	uint64_t max_bytes;          /* per rank; 0: no limit */
	enum tape_sampling sampling;
	uint32_t rounds;             /* per clock and phase */
	uint32_t period_us;          /* between two rounds */
	int32_t reference;           /* world rank whose clock is the reference */
	uint32_t arrived;
	uint32_t measured;           /* alpha = measured */
	uint32_t groups;
	enum tape_clock_source clock;
	uint32_t n_counters;         /* 0: none */
	uint32_t counters_at_regions; /* read there only, not at every event */
	char counters[TAPE_COUNTERS_MAX][TAPE_COUNTER_NAME];
};

/* Counters of our own, read from the kernel; others are PAPI's. */
enum tape_builtin {
	TAPE_BUILTIN_CPU,         /* CLOCK_THREAD_CPUTIME_ID */
	TAPE_BUILTIN_MINOR_FAULTS, /* from here on getrusage(RUSAGE_THREAD) */
	TAPE_BUILTIN_MAJOR_FAULTS,
	TAPE_BUILTIN_VOLUNTARY_SWITCHES,
	TAPE_BUILTIN_INVOLUNTARY_SWITCHES,
	TAPE_BUILTIN_MAX_RSS,
	TAPE_BUILTIN_COUNT
};

/*
 * The number of a counter of our own, TAPE_BUILTIN_COUNT for a name of PAPI's,
 * which has a capital letter or a colon, or -1 for a name that is neither.
 */
int tape_config_counter(const char *name);

/*
 * Fills c with the defaults, then from the file named by TAPE_CONF, else from
 * tape.conf in the current directory where it exists, then from the
 * environment. Returns 0, or a negative TAPE_E code with one sentence in
 * error (n bytes).
 */
int tape_config_read(struct tape_config *c, char *error, size_t n);

/* Is the word of n bytes at key the name of a setting? */
int tape_config_known(const char *key, size_t n);

#endif
