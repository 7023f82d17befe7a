/*
 * Writes actions as text (doc/actions.md), one file per rank.
 * tape_actions_open_files reads them.
 */
#ifndef TAPE_ACTION_TEXT_H
#define TAPE_ACTION_TEXT_H

#include "action.h"

/* Names of the collectives in the text, by enum tape_action_op. */
extern const char *const tape_action_ops[TAPE_DO_OPS];

struct tape_action_writer;

/* Sums over the written actions. */
struct tape_action_sums {
	uint64_t lines;
	double operations;	  /* of compute and pack */
	uint64_t messages, bytes; /* sent, including one-sided transfers */
	uint64_t collectives, coll_bytes; /* calls, and their bytes arguments */
	int alone; /* SimGrid alone can replay all lines */
};

/*
 * Begins to write the actions of a rank to fd, which the caller closes.
 * compressed: as gzip. Consecutive computations are one line, with whole
 * operations; the remainder is added to the next. Returns NULL if out of
 * memory, or if there is no compression in this build.
 */
struct tape_action_writer *tape_action_writer_new(int rank, int fd,
						  int compressed);

/* Returns 1 if this build can compress (zlib). */
int tape_action_can_compress(void);

/* Writes an action. Returns 0, TAPE_EIO with errno set, or TAPE_ENOMEM. */
int tape_action_writer_put(struct tape_action_writer *w,
			   const struct tape_action *a);

/* Writes the rest, adds to *sums, and frees w. Returns as above. */
int tape_action_writer_end(struct tape_action_writer *w,
			   struct tape_action_sums *sums);

#endif
