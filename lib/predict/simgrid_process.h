/*
 * Runs the replayer in another process. It is started without a shell, and
 * killed when this process ends.
 */
#ifndef SIM_SIMGRID_PROCESS_H
#define SIM_SIMGRID_PROCESS_H

#include <stddef.h>

/*
 * Path of the replayer, in ../libexec of this program. Returns NULL if it is
 * missing. Static storage.
 */
const char *sim_replayer_path(void);

/*
 * Runs argv; argv[0] is a path. line receives each line of the standard output,
 * without the newline. Standard error has progress ("+N"), which a terminal
 * shows, or the reason of a failure. Returns 0, or -1 with the reason in why.
 */
int sim_replayer_run(char *const *argv, void (*line)(void *self, char *text),
		     void *self, char *why, size_t n);

#endif
