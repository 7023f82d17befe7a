/*
 * Where traced processes connect: a port of this host, and a token of 128
 * random bits that they have to know. It is open to this host only until
 * somebody who knows the token asks for other hosts. Until then the same port
 * is reserved at the addresses under which they reach this host.
 */
#ifndef TAPE_PORT_H
#define TAPE_PORT_H

#include <stddef.h>

#include "gathering.h"

enum { PORT_ADDRESSES = 32 };

struct port {
	int fds[1 + PORT_ADDRESSES]; /* the first one is this host's own */
	int n, n_open;		     /* those that listen come first */
	int number;
	char token[TAPE_GATHER_TOKEN + 1];
	char addresses[1024]; /* under which others reach this host */
};

/* Dies where it cannot be opened. */
void port_open(struct port *d);

/* Is open to other hosts from now on. 0, or -1 with errno. */
int port_open_to_hosts(struct port *d);

/* What TAPE_GATHER has to be. */
void port_text(const struct port *d, char *text, size_t n);

/* Prints that as a line; nothing follows it. */
void port_print(const struct port *d);

/* Who has come to fds[i]: a descriptor that does not block; -1 with errno. */
int port_accept(struct port *d, int i);

#endif
