/*
 * Settings: tape.conf, then environment variables TAPE_<KEY>, the latter
 * winning. taperun checks them before a run with the same code.
 */
#ifndef TAPE_CONFIG_H
#define TAPE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "ticks.h"
#include "filter.h"
#include "record.h"

/* Bits: in which phases the clocks are sampled. */
enum tape_sampling {
	TAPE_SAMPLING_OFF = 0,
	TAPE_SAMPLING_BEFORE = 1,
	TAPE_SAMPLING_AFTER = 2,
	TAPE_SAMPLING_ON = 3
};

/* Longest name of a counter, with its NUL. */
#define TAPE_COUNTER_NAME 128

/* Where events go while the program runs. */
enum tape_stream_mode {
	TAPE_STREAM_OFF,  /* files */
	TAPE_STREAM_NODE, /* files that an analyser of the host consumes */
	TAPE_STREAM_MPI	  /* analysers in the same MPI job */
};

/* What is recorded of a run; the values are those of the setting. */
enum tape_recorded {
	TAPE_RECORD_EVENTS,
	TAPE_RECORD_ORDER, /* what MPI leaves to chance; order_file.h */
	TAPE_RECORD_BOTH
};

/* Room for the name of a partition, with its NUL. */
#define TAPE_PARTITION_NAME 64

/* The setting noise = SEED:MEAN:SHARE. */
struct tape_noise {
	uint64_t seed;
	uint32_t mean_us; /* of a delay */
	uint32_t percent; /* of the calls that are delayed; 0: no noise */
};

struct tape_config {
	char trace[3072];            /* directory; "": made from the program */
	char network[3072];	     /* file of switches; "": none */
	char replay[3072];	     /* trace whose order to repeat; "": none */
	uint32_t replay_wait;	     /* seconds for a recorded message */
	enum tape_recorded record;
	uint32_t shared;	     /* layout = node */
	uint64_t window_bytes;       /* mapped at once */
	uint64_t max_bytes;          /* per rank; 0: no limit */
	uint64_t stream_bytes; /* of a flow that are not consumed */
	uint32_t stream_drops; /* stream_full = drop */
	uint32_t stream_stops; /* stream_lost = stop */
	enum tape_sampling sampling;
	uint32_t rounds;             /* most per pair of clocks and phase */
	uint32_t sample_ms;          /* likewise */
	int32_t reference;           /* world rank whose clock is the reference */
	uint32_t arrived;
	uint32_t measured;           /* alpha = measured */
	uint32_t in_situ;            /* alpha = in-situ */
	uint32_t packing_summed;     /* packing = message */
	uint32_t groups;             /* bits 1 << enum tape_group */
	/* lists as given, "" for none; what of calls follows from them */
	char group_list[TAPE_LIST_BYTES], call_list[TAPE_LIST_BYTES];
	char regions[TAPE_LIST_BYTES], marks[TAPE_LIST_BYTES];
	char files[TAPE_LIST_BYTES];
	unsigned char wanted[TAPE_CALL_COUNT];
	uint32_t max_rate;           /* events per second and rank; 0: any */
	struct tape_noise noise;     /* random delays after calls */
	enum tape_clock_source clock;
	enum tape_stream_mode stream;
	uint32_t stream_keep;        /* the trace is in files, too */
	char partition[TAPE_PARTITION_NAME]; /* "": by the command line */
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
 * environment; what is set nowhere there, from settings_of_job.h. Returns 0, or
 * a negative TAPE_E code with one sentence in error (n bytes).
 */
int tape_config_read(struct tape_config *c, char *error, size_t n);

/* The setting alpha, as it is written. */
const char *tape_config_alpha(const struct tape_config *c);

/* Is the word of n bytes at key the name of a setting? */
int tape_config_known(const char *key, size_t n);

#endif
