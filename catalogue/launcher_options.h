/*
 * The options of MPI launchers that take values: of Open MPI (mpirun(1), 4.1)
 * and of MPICH (Hydra's mpiexec -help, 4.0).
 */
#ifndef TAPE_LAUNCHER_OPTIONS_H
#define TAPE_LAUNCHER_OPTIONS_H

/*
 * Returns how many words behind an option are its values: 0 to 2. The option
 * has one dash or two. 0 for a word that is no option, and for unknown options.
 */
int tape_launcher_values(const char *option);

#endif
