/* What the levels of MPI_Pcontrol mean; tape(3) has it for users. */
#ifndef TAPE_LEVEL_H
#define TAPE_LEVEL_H

/*
 * 0 switches tracing off, any other level on. From 2 on a phase of the program
 * begins: a region "MPI_Pcontrol LEVEL" that is left at once marks where.
 */
void tape_level(int level);

#endif
