/* MPI_Comm_spawn and MPI_Comm_spawn_multiple on their way to the library. */
#ifndef TAPE_SPAWN_CALL_H
#define TAPE_SPAWN_CALL_H

/* The variable that names the file of the spawn, and that file. */
#define TAPE_SPAWNED "TAPE_SPAWNED"
#define TAPE_SPAWN_FIRST "tape-spawn 1"
#define TAPE_SPAWN_BYTES 262144

/* What Fortran's call is to come to, whose library function is real. */
void *tape_spawn_fortran(unsigned call, int interface, void *real);

/* Puts them into the table of next.h, in front of what is there. */
void tape_spawn_put(void);

#endif
