/* What another platform file says: settings, and the values of a route. */
#ifndef TAPEPLAT_FACTORS_H
#define TAPEPLAT_FACTORS_H

#include "platform.h"

/*
 * Reads a file that tapecal or tapeplat wrote, or one that is like it: the
 * settings of <config>, and of its <cluster> or its loopback bandwidth,
 * latency, speed and cores. Values that are there replace those of p. What it
 * says of all of a host's messages is for hosts of its kind: p->shape tells
 * which kind the file was of. p->config is freed by the caller. Dies with a
 * sentence.
 */
void factors_read(const char *path, struct tape_platform *p);

#endif
