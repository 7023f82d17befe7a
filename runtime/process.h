/*
 * Start and stop of the tracing of this process.
 */
#ifndef TAPE_PROCESS_H
#define TAPE_PROCESS_H

#include "core.h"

/*
 * Opens the files of this process in tape_process.dir (rank and size set) and
 * the flow of the calling thread. Returns 0 or a negative code with a
 * sentence in error; nothing is recorded then.
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
 * After tape_core_stop at finalize, of a process that had one flow: it may
 * start once more, as another rank. Call sites and regions keep their numbers,
 * and their definitions have to be copied. Returns 0, or -1: there were more
 * flows, or the one had ended before.
 */
int tape_core_reset(void);

#endif
