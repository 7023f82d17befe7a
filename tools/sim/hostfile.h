/*
 * A file that says on which host each rank is: a name a line, that of rank 0
 * first, as smpirun, mpiexec of MPICH and Open MPI's --map-by seq have it.
 */
#ifndef SIM_HOSTFILE_H
#define SIM_HOSTFILE_H

#include <stddef.h>

/*
 * The names of the hosts of so many ranks, to be freed by sim_hostfile_free;
 * a line's blanks and what comes after # are left out, and empty lines. Dies
 * where there are fewer, or a line has two words.
 */
char **sim_hostfile_read(const char *path, size_t ranks);
void sim_hostfile_free(char **names, size_t ranks);

/* Numbers for them, to be freed: of the first name 0, of the next other 1. */
int *sim_hostfile_numbers(char *const *names, size_t ranks);

#endif
