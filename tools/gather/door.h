/*
 * Where processes of other hosts connect: a port on all addresses of this host,
 * and a token of 128 random bits that they have to know.
 */
#ifndef TAPE_DOOR_H
#define TAPE_DOOR_H

#include "gather.h"

struct door {
	int fd, port;
	char token[TAPE_GATHER_TOKEN + 1];
};

/* Dies where it cannot be opened. */
void door_open(struct door *d);

/* Prints what TAPE_GATHER has to be, as a line; nothing follows it. */
void door_print(const struct door *d);

/* Who has come: a descriptor that does not block, or -1. */
int door_accept(struct door *d);

#endif
