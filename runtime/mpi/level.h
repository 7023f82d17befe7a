/* The levels of MPI_Pcontrol; tape(3) describes them for users. */
#ifndef TAPE_LEVEL_H
#define TAPE_LEVEL_H

/*
 * Level 0 switches tracing off, any other level switches it on. Levels from 2
 * on begin a phase of the program: an empty region "MPI_Pcontrol LEVEL" marks
 * it.
 */
void tape_level(int level);

#endif
