/*
 * Does this process have rights that the user who started it lacks: a setuid or
 * setgid program, or one with capabilities? The kernel says so to the loader.
 * Such a process is not traced, and nothing is said: settings and the trace's
 * name come from the environment, which is that user's. For the same reason
 * what is linked with programs reads the environment by secure_getenv.
 */
#ifndef TAPE_PRIVILEGED_H
#define TAPE_PRIVILEGED_H

#include <sys/auxv.h>

static inline int tape_is_privileged(void)
{
	return getauxval(AT_SECURE) != 0;
}

#endif
