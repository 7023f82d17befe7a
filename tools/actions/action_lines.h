/*
 * Actions from text. text_read.c finds the files and splits them into lines.
 * parse_*.c parse the lines. pending_requests.c finds the request that a wait
 * line names.
 */
#ifndef TAPE_ACTION_LINES_H
#define TAPE_ACTION_LINES_H

#include "action_file.h"
#include "action_queue.h"
#include "action_source.h"
#include "table.h"

/* More ranks than any run has; and bytes of a line. */
enum { TAPE_LINE_RANKS = 1 << 22, TAPE_LINE_LINE = 1 << 26 };

struct tape_line_rank;

struct tape_line_source {
	struct tape_actions s; /* first */
	struct tape_line_rank *ranks;
};

/* Requests of messages by what a wait calls them. */
struct tape_line_pending {
	struct tape_table first;   /* of source, destination and tag */
	struct tape_line_node {
		uint64_t request;
		uint32_t next;     /* index + 1; 0: the last */
	} * nodes;
	uint32_t n, room, spare;   /* spare: the first unused, as next */
	uint64_t count;
};

struct tape_line_rank {
	struct tape_line_source *of;
	int rank;
	char *path;
	struct tape_action_file *file; /* NULL: not begun, or over */
	uint64_t line;
	int over, failed, finalized;
	/* what is read and not used: from at to end */
	char *buffer;
	size_t at, end, room;
	struct tape_action_queue q;
	uint64_t requests, bytes_of_type;
	struct tape_line_pending messages;
	struct tape_table collectives; /* requests by their number there */
	struct tape_table comms;       /* and windows that there are */
};

/* One line, without its end: rest begins behind the rank and the name. */
struct tape_line {
	struct tape_line_rank *r;
	const char *at, *end;
	const char *name;
	size_t name_bytes;
};

/*
 * Adds what the line of r says: 0, TAPE_EFORMAT with the sentence, or
 * TAPE_ENOMEM. The byte behind end may be read: it is no part of a word.
 */
int tape_line_parse(struct tape_line_rank *r, const char *line,
		    const char *end);

/* The sentence: file, line, and what is wrong. Returns TAPE_EFORMAT. */
__attribute__((format(printf, 2, 3))) int
tape_line_fail(struct tape_line_rank *r, const char *format, ...);

/* ---- pending_requests.c ---- */

/* A request is pending; key is not 0. 0 or TAPE_ENOMEM. */
int tape_line_add_pending(struct tape_line_pending *p, uint64_t key,
			  uint64_t request);
/* The oldest of the key, which is no longer pending; 0: there is none. */
uint64_t tape_line_take_oldest(struct tape_line_pending *p, uint64_t key);
/* All of them (count), in the order of their numbers. None is pending then. */
void tape_line_take_all(struct tape_line_pending *p, uint64_t *requests);
void tape_line_pending_free(struct tape_line_pending *p);

#endif
