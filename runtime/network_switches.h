/* The file of switches that the setting network names. */
#ifndef TAPE_NETWORK_SWITCHES_H
#define TAPE_NETWORK_SWITCHES_H

#include "network.h"

/*
 * What the file says, to be given to tape_network_free; NULL if it cannot be
 * used: one line has said so.
 */
struct tape_network *tape_switches_read(const char *path);

#endif
