/*
 * Where processes of other hosts connect: a port on all addresses of this host,
 * and a token of 128 random bits that they have to know.
 */
#ifndef TAPE_PORT_H
#define TAPE_PORT_H

#include "gathering.h"

struct port {
	int fd, port;
	char token[TAPE_GATHER_TOKEN + 1];
};

/* Dies where it cannot be opened. */
void port_open(struct port *d);

/* Prints what TAPE_GATHER has to be, as a line; nothing follows it. */
void port_print(const struct port *d);

/* Who has come: a descriptor that does not block, or -1. */
int port_accept(struct port *d);

#endif
