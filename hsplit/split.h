/*
 * The split of tape_hsplit, tape_hsplit_with_roots and MPI_Comm_split_type.
 * The members of *new are ordered by key. Collective over old.
 */
#ifndef TAPE_SPLIT_H
#define TAPE_SPLIT_H

#include <mpi.h>

int tape_split(MPI_Comm old, int key, MPI_Info info, int with_roots,
	       MPI_Comm *new, MPI_Comm *roots);

#endif
