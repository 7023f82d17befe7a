/*
 * The standard output of the runs of a command: which runs wrote the same, and
 * where they first differ. The output of the first run is in a temporary file.
 */
#ifndef TAPE_RUN_OUTPUT_H
#define TAPE_RUN_OUTPUT_H

#include <stdint.h>
#include <stdio.h>

struct run_outputs {
	FILE *first;   /* of run 1 */
	FILE *current; /* of the run in progress */
	int standard;  /* tape's own output meanwhile */
};

/* From here on what is written to descriptor 1 is the output of a run. */
void output_begin_run(struct run_outputs *o);

/*
 * Ends that. Sets *hash to a number of what the run wrote: equal outputs have
 * equal numbers. Returns the number, from 1, of the first line that is not as
 * in the first run, or 0 if none is.
 */
uint64_t output_end_run(struct run_outputs *o, uint64_t *hash);

#endif
