/* Reads the settings and values of another platform file. */
#ifndef TAPEPLAT_PLATFORM_FILE_H
#define TAPEPLAT_PLATFORM_FILE_H

#include "platform.h"

/*
 * Reads a file of tapecal or tapeplat, or a similar one: the settings of
 * <config>, and bandwidth, latency, loopback, speed and cores of its <cluster>.
 * Values in the file replace those of p. A limit for both directions of a host
 * applies to the same kind of platform only: p->shape is set to TAPE_NODE or
 * TAPE_CLUSTER. p->config must be freed by the caller. Dies on an error.
 */
void platform_read_file(const char *path, struct tape_platform *p);

#endif
