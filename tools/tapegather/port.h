/*
 * The port that traced processes connect to, and a token of 128 random bits
 * that they must send. At first the port is open to this host only, and
 * reserved at the addresses of this host that other hosts can reach. It is
 * opened to other hosts when a process that knows the token asks for it.
 */
#ifndef TAPE_PORT_H
#define TAPE_PORT_H

#include <stddef.h>

#include "gather_protocol.h"

enum { PORT_ADDRESSES = 32 };

struct port {
	int fds[1 + PORT_ADDRESSES]; /* the first is at the loopback address */
	int n, n_open;		     /* the first n_open of them listen */
	int number;
	int n_left_out; /* addresses at which the port is not available */
	char token[TAPE_GATHER_TOKEN + 1];
	char addresses[1024]; /* of this host, for other hosts; with commas */
};

/* Opens the port to this host; dies with a message if it cannot. */
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
