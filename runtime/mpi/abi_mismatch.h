/*
 * Handles this library being preloaded into a program of the other MPI family:
 * if a script starts the programs, taperun cannot know the family.
 */
#ifndef TAPE_ABI_MISMATCH_H
#define TAPE_ABI_MISMATCH_H

/*
 * If the process belongs to the other family, executes its program again before
 * main, with the library for that family; without such a library one line
 * reports it and the program runs untraced. Else returns.
 */
void tape_abi_mismatch(char **argv);

#endif
