/*
 * A network while its file is read; only for the files of this folder that do
 * that.
 */
#ifndef TAPE_NETWORK_FILE_H
#define TAPE_NETWORK_FILE_H

#include <stddef.h>

#include "host_list.h"
#include "position.h"

enum {
	TAPE_SWITCH_LEVELS_MAX = 24,
	/* of the switches above a host: what is inside one needs room, too */
	TAPE_WAY_MAX = 512
};

struct tape_network_host {
	char *name;
	unsigned line;
	size_t way; /* of ways */
};

struct tape_network {
	int levels;
	char level[TAPE_SWITCH_LEVELS_MAX][TAPE_LEVEL_MAX]; /* widest first */
	struct tape_network_host *hosts;
	size_t n, room;
	char **ways; /* steps of switches; several hosts have the same */
	size_t n_ways, ways_room;
	struct tape_network_slot *slots; /* hosts by name */
	size_t n_slots;			 /* a power of 2 */
};

/* The text of a file, line by line. */
struct tape_network_text {
	char *at;
	unsigned line; /* of what was read last */
	unsigned next;
	const char *what; /* is wrong with it */
};

/*
 * The next line that has more than blanks, without its comment and those; a
 * line that ends with \ goes on with the next one. NULL: there is none.
 */
char *tape_network_line(struct tape_network_text *t);

/* The first word of a line, which then begins behind it; NULL: none is left. */
char *tape_network_word(char **line);

/* TAPE_EFORMAT, and why, of the line that was read last. */
int tape_network_refuse(struct tape_network_text *t, const char *why);

/*
 * Adds hosts, all of the way that comes next, or that way: a copy of text. 0,
 * TAPE_ENOMEM or TAPE_EFORMAT, and why.
 */
int tape_network_add_hosts(struct tape_network *n, struct tape_network_text *t,
			   const char *list);
int tape_network_add_way(struct tape_network *n, const char *text);

/* Reads all lines; the first is that given. */
int tape_network_slurm(struct tape_network *n, struct tape_network_text *t,
		       char *line);

#endif
