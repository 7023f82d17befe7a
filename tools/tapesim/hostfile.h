/*
 * Reads a hostfile: one host name a line, that of rank 0 first, as smpirun,
 * mpiexec of MPICH and Open MPI's --map-by seq read it. A line can also be a
 * position (catalogue/position.h), which has the levels that hosts and ranks
 * share.
 */
#ifndef SIM_HOSTFILE_H
#define SIM_HOSTFILE_H

#include <stddef.h>

/*
 * Reads the host names of the ranks, to be freed by sim_hostfile_free. Blanks,
 * comments (#) and empty lines are ignored. Dies if there are fewer names than
 * ranks, or two words in a line. positions: NULL, or receives an array of the
 * positions, NULL for a plain name, to be freed the same way.
 */
char **sim_hostfile_read(const char *path, size_t ranks, char ***positions);
void sim_hostfile_free(char **names, size_t ranks);

/*
 * Numbers the hosts in the order of their first ranks, from 0. Returns the
 * number of each rank's host, to be freed.
 */
int *sim_hostfile_numbers(char *const *names, size_t ranks);

#endif
