/*
 * Whether a command can have processes on other hosts. tape-gather listens to
 * other hosts only in this case.
 */
#ifndef TAPE_SEVERAL_HOSTS_H
#define TAPE_SEVERAL_HOSTS_H

#include "library_family.h"

/*
 * Returns 0 if all processes of the command are on this host: an MPI program
 * without a launcher, or a launcher without options or variables that name
 * other hosts. Returns 1 for scripts and other programs, which are unknown.
 * Returns 0 for PVM, whose tasks are started later
 * (runtime/pvm/pvm_start_stop.c).
 */
int tape_may_be_several_hosts(char **argv, enum tape_family launcher,
			      enum tape_family family);

#endif
