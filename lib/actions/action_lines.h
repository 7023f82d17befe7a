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

/* Limits: ranks of a run, bytes of a line. */
enum { TAPE_LINE_RANKS = 1 << 22, TAPE_LINE_LINE = 1 << 26 };

struct tape_line_rank;

struct tape_line_source {
	struct tape_actions s; /* first */
	struct tape_line_rank *ranks;
};

/*
 * Pending requests of messages, by the source, destination and tag that a wait
 * names.
 */
struct tape_line_pending {
	/* oldest request, by source, destination and tag */
	struct tape_table first;
	struct tape_line_node {
		uint64_t request;
		uint32_t next;     /* index + 1; 0: the last */
	} * nodes;
	size_t room;
	uint32_t n, spare; /* spare: first free node, index + 1 */
	uint64_t count;
};

struct tape_line_rank {
	struct tape_line_source *of;
	int rank;
	char *path;
	struct tape_action_file *file; /* NULL: not opened yet, or closed */
	uint64_t line;
	int over, failed, finalized;
	/* bytes read and not parsed yet: buffer[at] to buffer[end - 1] */
	char *buffer;
	size_t at, end, room;
	struct tape_action_queue q;
	uint64_t requests, bytes_of_type;
	struct tape_line_pending messages;
	/* requests by their number in the file */
	struct tape_table collectives;
	struct tape_table comms; /* existing communicators and windows */
};

/* One line, without its newline. at: the rest that is not parsed yet. */
struct tape_line {
	struct tape_line_rank *r;
	const char *at, *end;
	const char *name;
	size_t name_bytes;
};

/*
 * Parses a line of r and adds its actions. Returns 0, TAPE_EFORMAT with an
 * error message, or TAPE_ENOMEM. The byte at end can be read and is no part of
 * a word.
 */
int tape_line_parse(struct tape_line_rank *r, const char *line,
		    const char *end);

/* Sets the error message with file and line. Returns TAPE_EFORMAT. */
__attribute__((format(printf, 2, 3))) int
tape_line_fail(struct tape_line_rank *r, const char *format, ...);

/* ---- pending_requests.c ---- */

/* Adds a pending request. key is not 0. Returns 0 or TAPE_ENOMEM. */
int tape_line_add_pending(struct tape_line_pending *p, uint64_t key,
			  uint64_t request);
/*
 * Removes the oldest request with the key and returns it; 0 if there is none.
 */
uint64_t tape_line_take_oldest(struct tape_line_pending *p, uint64_t key);
/*
 * Removes all pending requests and stores them in requests, by number. requests
 * has room for p->count.
 */
void tape_line_take_all(struct tape_line_pending *p, uint64_t *requests);
void tape_line_pending_free(struct tape_line_pending *p);

#endif
