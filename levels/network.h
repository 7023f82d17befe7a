/*
 * The switches above each host, read from a file. Two formats are read; the
 * first word of the file tells which.
 *
 * Coordinates, as in netloc (goglin-2018, section 4.2): the names of the
 * levels, widest first; the number of switches of each level, if known (then
 * coordinates are checked); and for each host its switch at each level.
 * Switches are numbered from 0, within the switch above or over all: only
 * equality counts, from the left.
 *
 *	levels Switch2 Switch1
 *	dims 2 4
 *	node[00-15] 0 0
 *	node16,node17 0 1
 *
 * Slurm's topology.conf (topology/tree). Switches of hosts get the type
 * Switch1, switches of these Switch2, ...:
 *
 *	SwitchName=s0 Nodes=node[00-15]
 *	SwitchName=top Switches=s[0-3]
 *
 * A host that is not in the file has no switches: it is a machine directly in
 * the cluster. Two names match if they are equal, or if one equals the other up
 * to its first dot. A short name that several hosts of the file have matches
 * none. Comments begin with #. A line that ends with \ continues on the next
 * line. A file has at most 64 MiB, 262,144 hosts and 24 levels of switches.
 * Tori have no levels and are not supported.
 */
#ifndef TAPE_NETWORK_H
#define TAPE_NETWORK_H

#include <stddef.h>

#include "position.h"

struct tape_network;

/* The error of a file and its line, for the caller's message. */
struct tape_network_fault {
	unsigned line; /* 0: none */
	const char *what;
};

/*
 * Reads the file at path into *n, which the caller passes to tape_network_free.
 * Returns 0, TAPE_EIO (with errno), TAPE_ENOMEM, or TAPE_EFORMAT with *fault.
 */
int tape_network_read(struct tape_network **n, const char *path,
		      struct tape_network_fault *fault);

/*
 * tape_network_read in two steps, so that one process can read for others. The
 * caller frees the text of the file. tape_network_parse changes text.
 */
int tape_network_text(char **text, const char *path,
		      struct tape_network_fault *fault);
int tape_network_parse(struct tape_network **n, char *text,
		       struct tape_network_fault *fault);
void tape_network_free(struct tape_network *n);

/*
 * Stores the position of a host: Cluster, the host's switches in n (n may be
 * NULL), Machine:host.
 */
void tape_network_position(const struct tape_network *n, const char *host,
			   char position[TAPE_POSITION_MAX]);

/* Returns 1 if the network has that host. */
int tape_network_knows(const struct tape_network *n, const char *host);

/* Return the number of levels of switches, and the type of level i, widest
 * first. */
int tape_network_levels(const struct tape_network *n);
const char *tape_network_level(const struct tape_network *n, int i);

/* Returns host i of the file, in its order; NULL after the last. */
const char *tape_network_host(const struct tape_network *n, size_t i);

#endif
