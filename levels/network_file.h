/*
 * A network while its file is read. Only for the files of this folder that read
 * networks.
 */
#ifndef TAPE_NETWORK_FILE_H
#define TAPE_NETWORK_FILE_H

#include <stddef.h>

#include "hash_slots.h"
#include "host_list.h"
#include "position.h"

enum {
	TAPE_SWITCH_LEVELS_MAX = 24,
	/* bytes of the switches above a host; a position holds these and the
	 * path inside the host */
	TAPE_PATH_MAX = 512
};

TAPE_SLOTS_TYPE(tape_network_slots, struct tape_network_slot)

struct tape_network_host {
	char *name;
	unsigned line;
	size_t path; /* index into paths */
};

struct tape_network {
	int levels;
	char level[TAPE_SWITCH_LEVELS_MAX][TAPE_LEVEL_MAX]; /* widest first */
	struct tape_network_host *hosts;
	size_t n, room;
	char **paths; /* steps of switches; several hosts share a path */
	size_t n_paths, paths_room;
	struct tape_network_slots slots; /* hosts by name */
};

/* The text of a file, line by line. */
struct tape_network_text {
	char *at;
	unsigned line; /* of what was read last */
	unsigned next;
	const char *what; /* the error */
};

/*
 * Returns the next line that is not blank, without its comment and without
 * blanks at its ends. A line that ends with \ continues on the next line. NULL:
 * no line is left.
 */
char *tape_network_line(struct tape_network_text *t);

/* Removes the first word from a line and returns it; NULL: no word is left. */
char *tape_network_word(char **line);

/* Stores the error of the line that was read last. Returns TAPE_EFORMAT. */
int tape_network_refuse(struct tape_network_text *t, const char *why);

/*
 * Add a list of hosts, which get the path that is added next, and add a path (a
 * copy of text). Return 0, TAPE_ENOMEM, or TAPE_EFORMAT with t->what.
 */
int tape_network_add_hosts(struct tape_network *n, struct tape_network_text *t,
			   const char *list);
int tape_network_add_path(struct tape_network *n, const char *text);

/* Reads all lines of a Slurm file; line is its first line. */
int tape_network_slurm(struct tape_network *n, struct tape_network_text *t,
		       char *line);

#endif
