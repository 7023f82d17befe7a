/*
 * The replayer as another process: started with a list of words, no shell
 * between, and ended when this process ends.
 */
#ifndef SIM_SIMGRID_PROCESS_H
#define SIM_SIMGRID_PROCESS_H

#include <stddef.h>

/* Its path beside this program; NULL: it is not there. Static storage. */
const char *sim_replayer_path(void);

/*
 * Runs argv, of which the first word is a path. line gets each line of what it
 * prints on stdout, without the newline; what it prints on stderr is progress
 * (a line "+N"), shown to a terminal, or why it failed. Returns 0, or -1 with
 * that in why.
 */
int sim_replayer_run(char *const *argv, void (*line)(void *self, char *text),
		     void *self, char *why, size_t n);

#endif
