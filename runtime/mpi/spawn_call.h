/*
 * Wrappers of MPI_Comm_spawn and MPI_Comm_spawn_multiple, before the library.
 */
#ifndef TAPE_SPAWN_CALL_H
#define TAPE_SPAWN_CALL_H

/* The variable that names the file of the spawn, and that file. */
#define TAPE_SPAWNED "TAPE_SPAWNED"
#define TAPE_SPAWN_FIRST "tape-spawn 1"
#define TAPE_SPAWN_BYTES 262144

/* Returns the function to call from Fortran in place of real, the library's. */
void *tape_spawn_fortran(unsigned call, int interface, void *real);

/* Inserts the wrappers into the table of next.h. */
void tape_spawn_put(void);

#endif
