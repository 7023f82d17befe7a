/*
 * The options of MPI launchers, and which take values: of Open MPI
 * (mpirun(1), 4.1) and of MPICH (Hydra's mpiexec -help, 4.0).
 */
#ifndef TAPE_LAUNCHER_OPTIONS_H
#define TAPE_LAUNCHER_OPTIONS_H

enum { TAPE_LAUNCHER_UNKNOWN = -1 };

/*
 * Returns how many words after an option are its values: 0 to 2, or
 * TAPE_LAUNCHER_UNKNOWN. The option has one dash or two; "--option=value" has
 * its value already. 0 for a word that is no option.
 */
int tape_launcher_values(const char *option);

#endif
