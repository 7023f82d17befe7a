/* Goes through an export's steps; what breaks export.h ends the process. */
#ifndef FUZZ_STEPS_H
#define FUZZ_STEPS_H

/* A trace that has events. window: with a part of its time only. */
void fuzz_check_steps(const char *path, int window);

#endif
