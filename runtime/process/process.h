/*
 * Start and stop of the tracing of this process.
 */
#ifndef TAPE_PROCESS_H
#define TAPE_PROCESS_H

#include "core.h"

/*
 * Opens the files of this process in tape_process.dir and the flow of the
 * calling thread. Rank and size must be set. Returns 0, or a negative code with
 * a message in error; nothing is recorded then.
 */
int tape_core_start(char *error, size_t n);

/*
 * Ends the flow of this thread, at finalize also those of all others, for
 * that reason, and closes the files. Says what was lost. Before finalize other
 * threads may be in the middle of a call: their flows stay as a killed process
 * would leave them.
 */
void tape_core_stop(enum tape_end reason);

/*
 * Called after tape_core_stop at finalize: the process may start again, as
 * another rank. Call sites and regions keep their numbers, so the caller must
 * copy their definitions. Returns 0, or -1 if the process had several flows or
 * its flow had ended before.
 */
int tape_core_reset(void);

#endif
