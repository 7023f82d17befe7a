/*
 * The switches above each host, from a file. Two kinds are read, told apart by
 * their first word.
 *
 * Coordinates, as netloc gives them (goglin-2018, section 4.2): the names of
 * the levels, widest first; how many switches each level has, if known (then
 * coordinates are checked); and for each host its switch at each level, from 0
 * on within the one above or in all: only equality counts, from the left.
 *
 *	levels Switch2 Switch1
 *	dims 2 4
 *	node[00-15] 0 0
 *	node16,node17 0 1
 *
 * Slurm's topology.conf (topology/tree), whose switches get the types Switch1
 * (those of hosts), Switch2 (of switches of those), ...:
 *
 *	SwitchName=s0 Nodes=node[00-15]
 *	SwitchName=top Switches=s[0-3]
 *
 * A host that is not in the file has no switches: its position is that of a
 * machine beside them. Names match wholly, or one of them up to the first dot
 * of the other; what stands for several hosts of the file then matches none.
 * Comments begin with #, and a line that ends with \ goes on with the next one.
 * A file has at most 64 MiB, 262,144 hosts and 24 levels of switches. Tori have
 * no levels and are out of scope.
 */
#ifndef TAPE_NETWORK_H
#define TAPE_NETWORK_H

#include <stddef.h>

#include "position.h"

struct tape_network;

/* What was wrong with a file, and where: for the caller's message. */
struct tape_network_fault {
	unsigned line; /* 0: none */
	const char *what;
};

/*
 * Reads the file at path into *n, to be given to tape_network_free. Returns 0,
 * TAPE_EIO (errno says why), TAPE_ENOMEM, or TAPE_EFORMAT and the fault.
 */
int tape_network_read(struct tape_network **n, const char *path,
		      struct tape_network_fault *fault);

/*
 * The same in two steps, so that one process can read for others: the file's
 * text, to be freed by the caller, and what it says; text is written to.
 */
int tape_network_text(char **text, const char *path,
		      struct tape_network_fault *fault);
int tape_network_parse(struct tape_network **n, char *text,
		       struct tape_network_fault *fault);
void tape_network_free(struct tape_network *n);

/*
 * Makes position that of the host: Cluster, its switches if n has any (n may
 * be NULL), Machine:host.
 */
void tape_network_position(const struct tape_network *n, const char *host,
			   char position[TAPE_POSITION_MAX]);

/* Does it have that host? */
int tape_network_knows(const struct tape_network *n, const char *host);

/* How many levels of switches there are; their types, widest first. */
int tape_network_levels(const struct tape_network *n);
const char *tape_network_level(const struct tape_network *n, int i);

/* The hosts of the file, in its order; NULL from the last on. */
const char *tape_network_host(const struct tape_network *n, size_t i);

#endif
