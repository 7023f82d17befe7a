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
 * Returns the family of a launcher such as mpirun, by the file that the name
 * leads to. Returns none if the program is no launcher.
 */
enum tape_family tape_family_of_launcher(const char *program);

/*
 * Returns the family of the program; argv ends with NULL. Returns none if it
 * cannot be determined, both if the program uses both. *is_static is 1 if no
 * library can be preloaded into the program.
 */
enum tape_family tape_family_of_program(char **argv, int *is_static);

#endif
