/*
 * Where traced processes connect: a port of this host, and a token of 128
 * random bits that they have to know. It is open to this host only until
 * somebody who knows the token asks for other hosts. Until then the same port
 * is reserved at the addresses under which they reach this host.
 */
#ifndef TAPE_PORT_H
#define TAPE_PORT_H

#include <stddef.h>

#include "gather_protocol.h"

enum { PORT_ADDRESSES = 32 };

struct port {
	int fds[1 + PORT_ADDRESSES]; /* the first one is this host's own */
	int n, n_open;		     /* those that listen come first */
	int number;
	int n_left_out; /* addresses at which the port is not to be had */
	char token[TAPE_GATHER_TOKEN + 1];
	char addresses[1024]; /* under which others reach this host */
};

/* Opens the port to this host; dies with a sentence if it cannot. */
void port_open(struct port *d);

/* Opens the port to other hosts, too. Returns 0, or -1 with errno. */
int port_open_to_hosts(struct port *d);

/* Writes the value of TAPE_GATHER to text. */
void port_text(const struct port *d, char *text, size_t n);

/* Prints the value as a line, and closes standard output. Dies if it cannot. */
void port_print(const struct port *d);

/*
 * Accepts a connection to fds[i]. Returns a descriptor that does not block, or
 * -1 with errno.
 */
int port_accept(struct port *d, int i);

#endif
