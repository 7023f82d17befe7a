/*
 * What all sources of actions have in common: a trace (action_trace.c) or text
 * files (text_read.c). A source begins with a struct tape_actions.
 */
#ifndef TAPE_ACTION_SOURCE_H
#define TAPE_ACTION_SOURCE_H

#include "action.h"

struct tape_actions_kind {
	int (*next)(struct tape_actions *s, int rank,
		    const struct tape_action **a);
	const int *(*members)(const struct tape_actions *s, uint32_t comm,
			      int *size);
	/* NULL: the source is no trace */
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

/* Sets the error message. Returns code. */
__attribute__((format(printf, 3, 4))) int
tape_actions_fail(struct tape_actions *s, int code, const char *format, ...);

/*
 * Returns 1 if a collective moves no byte at any member. Open MPI 4.1 and MPICH
 * 4.0 then leave it at once, and SimGrid 3.32 divides by its size: such a
 * collective is no action.
 */
int tape_action_moves_nothing(enum tape_action_op op, uint64_t bytes,
			      uint64_t rbytes);

/* Sets the sentence for TAPE_ENOMEM and returns TAPE_ENOMEM. */
int tape_actions_no_memory(struct tape_actions *s);

#endif
