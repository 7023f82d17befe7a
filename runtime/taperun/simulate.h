/*
 * taperun --simulate: runs a program of tapecc --simulate on a simulated
 * machine (SimGrid's smpirun), traced in simulated time.
 */
#ifndef TAPE_SIMULATE_H
#define TAPE_SIMULATE_H

/* Returns 1 if --simulate is among the options before the program. */
int tape_simulate_asked(int argc, char **argv);

/*
 * Runs the simulation. argv is the whole command line. Returns the exit status
 * of the simulation, or a status of taperun(1) after an error message.
 */
int tape_simulate(int argc, char **argv);

#endif
