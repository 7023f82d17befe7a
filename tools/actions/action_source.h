/*
 * What all sources of actions have: a trace (action_trace.c) or files of text
 * (text_read.c). Each has one of these at its start.
 */
#ifndef TAPE_ACTION_SOURCE_H
#define TAPE_ACTION_SOURCE_H

#include "action.h"

struct tape_actions_kind {
	int (*next)(struct tape_actions *s, int rank,
		    const struct tape_action **a);
	const int *(*members)(const struct tape_actions *s, uint32_t comm,
			      int *size);
	/* NULL: of no trace */
	size_t (*flow)(const struct tape_actions *s, int rank);
	void (*close)(struct tape_actions *s);
};

struct tape_actions {
	const struct tape_actions_kind *kind;
	size_t ranks;
	const char *measure;
	uint64_t left_out;
	char error[1400];
};

/* Writes the sentence; returns code. */
__attribute__((format(printf, 3, 4))) int
tape_actions_fail(struct tape_actions *s, int code, const char *format, ...);

/*
 * Is it a collective of nothing at all members? Open MPI 4.1 and MPICH 4.0
 * leave it at once then, and SimGrid 3.32 divides by its size: it is no action.
 */
int tape_action_moves_nothing(enum tape_action_op op, uint64_t bytes,
			      uint64_t rbytes);

/* Out of memory. */
int tape_actions_no_memory(struct tape_actions *s);

#endif
