/*
 * taperun --simulate: runs a program of tapecc --simulate on a simulated
 * machine (SimGrid's smpirun), traced in simulated time.
 */
#ifndef TAPE_SIMULATE_H
#define TAPE_SIMULATE_H

/* Its synopsis, without "usage: ". */
extern const char tape_simulate_usage[];

/* Is it asked for, among the options before the program? */
int tape_simulate_asked(int argc, char **argv);

/*
 * Does it. argv is the whole command line. Returns the exit status: that of the
 * simulation, or what taperun(1) says; each error is one sentence.
 */
int tape_simulate(int argc, char **argv);

#endif
