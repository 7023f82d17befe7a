/*
 * Which family of MPI libraries taperun prepares for: that of the launcher
 * which it starts, else that of the program, else that of the launcher which
 * started it, else that of a program that an argument names (taperun env A=b
 * ./prog).
 */
#ifndef TAPE_CHOOSE_FAMILY_H
#define TAPE_CHOOSE_FAMILY_H

#include "library_family.h"

/*
 * The family of mpirun, mpiexec and the like, by what the name leads to; none:
 * argv[0] is no launcher.
 */
enum tape_family tape_family_of_launcher(const char *program);

/*
 * That of the program with its arguments, argv ending with NULL; none: nothing
 * tells; both: the program uses both. *is_static says that nothing can be
 * preloaded into it.
 */
enum tape_family tape_family_of_program(char **argv, int *is_static);

#endif
