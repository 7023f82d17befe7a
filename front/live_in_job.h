/* `tape live -m`: receivers are programs of the MPI job itself. */
#ifndef TAPE_LIVE_IN_JOB_H
#define TAPE_LIVE_IN_JOB_H

#include "live_options.h"

/* Becomes the launcher, with taperun ahead of each program and one more. */
__attribute__((noreturn)) void live_in_job(const struct live_options *o);

#endif
