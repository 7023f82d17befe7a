/*
 * A file that says on which host each rank is: a name a line, that of rank 0
 * first, as smpirun, mpiexec of MPICH and Open MPI's --map-by seq have it; or a
 * position (catalogue/position.h), which also tells what its host shares with
 * others and what ranks share within it.
 */
#ifndef SIM_HOSTFILE_H
#define SIM_HOSTFILE_H

#include <stddef.h>

/*
 * The names of the hosts of so many ranks, to be freed by sim_hostfile_free;
 * a line's blanks and what comes after # are left out, and empty lines. Dies
 * where there are fewer, or a line has two words. positions: NULL, or receives
 * an array of the positions, to be freed the same way; NULL for a name alone.
 */
char **sim_hostfile_read(const char *path, size_t ranks, char ***positions);
void sim_hostfile_free(char **names, size_t ranks);

/* Numbers for them, to be freed: of the first name 0, of the next other 1. */
int *sim_hostfile_numbers(char *const *names, size_t ranks);

#endif
