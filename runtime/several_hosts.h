/*
 * Can a command have processes on other hosts than this one? tape-gather
 * listens to other hosts only then.
 */
#ifndef TAPE_SEVERAL_HOSTS_H
#define TAPE_SEVERAL_HOSTS_H

#include "library_family.h"

/*
 * Returns 0 where all processes of the command are on this host: a program of
 * MPI that no launcher starts, or a launcher that nothing tells of other hosts.
 * Of scripts and other programs nothing is known: 1. Tasks of PVM are started
 * later (runtime/pvm/pvm_life.c): 0.
 */
int tape_may_be_several_hosts(char **argv, enum tape_family launcher,
			      enum tape_family family);

#endif
