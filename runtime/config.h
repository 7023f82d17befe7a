/*
 * Settings: tape.conf, then environment variables TAPE_<KEY>, the latter
 * winning. taperun checks them before a run with the same code.
 */
#ifndef TAPE_CONFIG_H
#define TAPE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "filter.h"

enum tape_sampling { TAPE_SAMPLING_OFF, TAPE_SAMPLING_ON, TAPE_SAMPLING_BEFORE };

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
	uint32_t groups;             /* bits 1 << enum tape_group */
	/* lists as given, "" for none; what of calls follows from them */
	char group_list[TAPE_LIST_BYTES], call_list[TAPE_LIST_BYTES];
	char regions[TAPE_LIST_BYTES], marks[TAPE_LIST_BYTES];
	char files[TAPE_LIST_BYTES];
	unsigned char wanted[TAPE_CALL_COUNT];
	uint32_t max_rate;           /* events per second and rank; 0: any */
	enum tape_clock_source clock;
};

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
