/* The file of switches that the setting network names. */
#ifndef TAPE_NETWORK_SWITCHES_H
#define TAPE_NETWORK_SWITCHES_H

#include "network.h"

/*
 * Reads the file. The caller frees the result with tape_network_free. Returns
 * NULL, after a message, if the file cannot be used.
 */
struct tape_network *tape_switches_read(const char *path);

#endif
