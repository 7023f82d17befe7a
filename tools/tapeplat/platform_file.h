/* What another platform file says: settings, and the values of a route. */
#ifndef TAPEPLAT_PLATFORM_FILE_H
#define TAPEPLAT_PLATFORM_FILE_H

#include "platform.h"

/*
 * Reads a file that tapecal or tapeplat wrote, or one that is like it: the
 * settings of <config>, and of its <cluster> bandwidth, latency, loopback,
 * speed and cores. Values that are there replace those of p. What it says of
 * both directions of a host is for hosts of its kind: p->shape tells whether it
 * was of a node or of hosts. p->config is freed by the caller. Dies with a
 * sentence.
 */
void platform_read_file(const char *path, struct tape_platform *p);

#endif
