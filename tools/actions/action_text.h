/*
 * Actions as text (doc/actions.md): what one file of a rank is written with,
 * and how the words of actions are called. Reading is tape_actions_open_files.
 */
#ifndef TAPE_ACTION_TEXT_H
#define TAPE_ACTION_TEXT_H

#include "action.h"

/* The collectives' names there, by enum tape_action_op. */
extern const char *const tape_action_ops[TAPE_DO_OPS];

struct tape_action_writer;

/* What was written. */
struct tape_action_sums {
	uint64_t lines;
	double operations;		  /* of compute and pack */
	uint64_t messages, bytes;	  /* sent, one-sided ones too */
	uint64_t collectives, coll_bytes; /* calls, and bytes that are given */
	int alone;			  /* SimGrid knows all of them */
};

/*
 * Writes the actions of a rank to fd, which the caller closes. compressed: as
 * gzip does. Computations that follow each other are one, whole operations;
 * what is left goes to the next. NULL: out of memory, or no such compression
 * here.
 */
struct tape_action_writer *tape_action_writer_new(int rank, int fd,
						  int compressed);

/* Is -z there? */
int tape_action_can_compress(void);

/* 0, TAPE_EIO with errno, or TAPE_ENOMEM. */
int tape_action_writer_put(struct tape_action_writer *w,
			   const struct tape_action *a);

/* Writes the rest, adds to sums, and frees. 0 or as above. */
int tape_action_writer_end(struct tape_action_writer *w,
			   struct tape_action_sums *sums);

#endif
